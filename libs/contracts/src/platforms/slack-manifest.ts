/** The manifest of an app of Slack, for "Create an app from a manifest". */
export const slackManifest = (address: string): string => `display_information:
  name: Botyard
features:
  app_home:
    messages_tab_enabled: true
    messages_tab_read_only_enabled: false
  bot_user:
    display_name: Botyard
    always_online: true
  agent_view:
    agent_description: Answers questions.
  slash_commands:
    - command: /botyard
      url: ${address}
      description: Ask the bot
      usage_hint: a question, or new, stop, help
      should_escape: true
oauth_config:
  scopes:
    bot:
      - app_mentions:read
      - assistant:write
      - channels:history
      - channels:read
      - chat:write
      - commands
      - files:read
      - files:write
      - groups:history
      - groups:read
      - im:history
      - im:read
      - mpim:history
      - mpim:read
      - reactions:read
      - users:read
settings:
  event_subscriptions:
    request_url: ${address}
    bot_events:
      - app_home_opened
      - app_mention
      - app_uninstalled
      - channel_archive
      - channel_id_changed
      - channel_unarchive
      - member_joined_channel
      - member_left_channel
      - message.channels
      - message.groups
      - message.im
      - message.mpim
      - reaction_added
      - reaction_removed
      - tokens_revoked
  interactivity:
    is_enabled: true
    request_url: ${address}
  token_rotation_enabled: false
`;
