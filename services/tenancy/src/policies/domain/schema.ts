/**
 * Everything that a policy can refer to. Policies are checked against it when they are saved, and every request when it
 * is decided, so that a policy never meets an unknown attribute.
 */
export const schemaText = `// A caller of the API.
entity User {
  // The identity provider's id of the person.
  idpUserId: String,
  // The relation that gives them access here: "member" or "admin" (by membership, group or an edge to the bot), or
  // "operator".
  relation: String,
  // Whether they operate the platform, regardless of relation.
  isOperator: Bool,
  // Always false: there are no API tokens. It is here for stored policies that name it.
  isToken: Bool,
};

// A person who writes to a bot on a platform. The entity's id is "<platform>:<platformUserId>".
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

// Members may "read", and admins may also "manage". The resource is the bot if the path names one, or else the tenant.
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

// A bot accepts a message from a person of a platform.
action sendMessage appliesTo {
  principal: [Person],
  resource: [Bot],
  context: {
    platform: String,
    // "private", "group" or "channel". A thread of mails is "private".
    chatKind: String,
    platformChatId: String,
    now: datetime,
    hour: Long,
    weekday: Long,
  },
};
`;
