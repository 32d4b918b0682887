/**
 * Everything that a policy can speak of. Policies are checked against it when they are saved, and every request when it
 * is decided, so that a policy never meets an attribute that it doesn't know.
 */
export const schemaText = `// Who acts through the API.
entity User {
  // The identity provider's id of the person; of a program with an API token "token:<tokenId>".
  idpUserId: String,
  // What lets them in here: "member" or "admin" (by membership, group, a tie to the bot, or the token's role), or
  // "operator".
  relation: String,
  // Whether they operate the platform, whatever lets them in here.
  isOperator: Bool,
  // Whether it is a program with an API token of the tenant.
  isToken: Bool,
};

// Who writes to a bot on a messaging platform. The entity's id is "<platform>:<platformUserId>".
entity Person {
  // "messenger" or "email".
  platform: String,
  platformUserId: String,
  // The name that the platform shows. People choose it themselves: it proves nothing.
  name: String,
};

// The entity's id is the tenantId.
entity Tenant;

// The entity's id is the botId.
entity Bot in [Tenant] {
  name: String,
  isEnabled: Bool,
};

// "read" is what members may do, "manage" what takes an admin. The resource is the bot when the path names one, else
// the tenant.
action read, manage appliesTo {
  principal: [User],
  resource: [Tenant, Bot],
  context: {
    // The client's address.
    address: ipaddr,
    now: datetime,
    // 0 to 23, UTC.
    hour: Long,
    // 1 (Monday) to 7 (Sunday), UTC.
    weekday: Long,
    // Base path of the router without "/api/", such as "bots", "keys" or "usage". Policies never bind "auth".
    router: String,
    // "GET", "POST", "PUT", "PATCH" or "DELETE".
    method: String,
  },
};

// A person of a platform is heard by a bot.
action sendMessage appliesTo {
  principal: [Person],
  resource: [Bot],
  context: {
    platform: String,
    // "private", "group" or "channel" on the messenger, "email" by mail.
    chatKind: String,
    platformChatId: String,
    now: datetime,
    hour: Long,
    weekday: Long,
  },
};
`;
