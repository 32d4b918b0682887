import type { Catalogue } from './catalogue.ts';

export const english: Catalogue = {
  greeting: 'Hello! I am {$bot}. Write to me, and I will answer.',
  help: [
    'Write to me in your own words, and I will answer.',
    '',
    '/new begins a new conversation: I forget what was said before.',
    '/stop stops the answer that I am working on.',
    '/help shows this text.',
  ].join('\n'),
  new_conversation: 'A new conversation: I have forgotten what was said before.',
  goodbye: 'All right, I have stopped. Write to me whenever you need me.',
  account_link:
    'For this I need access to your account at {$server}. Open this link within ten minutes, and pass it on to nobody: {$url}',
  account_connected: 'Your account at {$server} is connected. Please ask me again. /disconnect ends it.',
  account_code_wrong:
    'This code is not valid, or no longer. Please ask me again, and I will send you a new link.',
  accounts_disconnected: 'I no longer have access to any account of yours.',
  delay: 'This takes longer than usual. I am still working on it.',
  handover:
    'I would like a person to help you with this, and I have asked for one. They will write to you here.',
  timeout: 'Sorry, my answer took too long. Please ask me again.',
  unavailable: 'Sorry, I cannot think clearly right now. Please try again in a few minutes.',
  busy: 'Sorry, I am very busy right now. Please try again in a minute.',
  key_refused: 'Sorry, I cannot answer at the moment: the people who run me need to check my settings.',
  model_refused:
    'Sorry, I cannot answer at the moment: the people who run me need to check which model I use.',
  refused: 'Sorry, I could not work with that message. Please try to rephrase it.',
  too_long: 'Sorry, that is too long for me. Please send me a shorter message.',
  request_refused:
    'Sorry, I cannot answer at the moment, and it is not because of your message: the people who run me need to check my settings.',
  'answer.cut': '(My answer became too long and was cut off here. Ask me to continue.)',
  'answer.filtered': 'I cannot say more about this: a filter of my model does not allow it.',
  no_words: 'Sorry, I could not come up with an answer to that. Please try to rephrase it.',
  no_key: 'Sorry, I cannot answer yet: the people who run me still need to give me access to a model.',
  no_agent: 'Sorry, I cannot answer yet: the people who run me still need to set up an agent.',
  agent_disabled:
    'Sorry, I am switched off for the moment: the people who run me need to switch me on again.',
  quota_exhausted: 'Sorry, I have reached my limit for now. Please try again later.',
  allowance_used_up: 'Sorry, I have reached my limit for this month. Please tell the people who run me.',
  not_granted: 'Sorry, I cannot talk with you here yet: the people who run me need to let you in first.',
  unsupported: 'Sorry, I can only read text so far. Please write to me in words.',
  unsupported_voice: "Sorry, I can't listen to voice messages yet. Please write to me in words.",
  unsupported_audio: "Sorry, I can't listen to audio files yet. Please write to me in words.",
  unsupported_photo: "Sorry, I can't look at photos yet. Please write to me in words.",
  unsupported_video: "Sorry, I can't watch videos yet. Please write to me in words.",
  unsupported_video_note: "Sorry, I can't watch video messages yet. Please write to me in words.",
  unsupported_animation: "Sorry, I can't watch animations yet. Please write to me in words.",
  unsupported_sticker: "Sorry, I can't make sense of stickers yet. Please write to me in words.",
  unsupported_document: "Sorry, I can't open files yet. Please write to me in words.",
  unsupported_location: "Sorry, I can't read maps yet. Please write to me in words.",
  unsupported_contact: "Sorry, I can't read contacts yet. Please write to me in words.",
  unsupported_poll: "Sorry, I can't take part in polls yet. Please write to me in words.",
  unsupported_checklist: "Sorry, I can't read checklists yet. Please write to me in words.",
  unsupported_game: "Sorry, I can't play games yet. Please write to me in words.",
  unsupported_story: "Sorry, I can't look at stories yet. Please write to me in words.",
  file_too_large:
    'Sorry, that file is too large for me: I can take 20 MB at most. Please send me a smaller one.',
  file_unavailable:
    'Sorry, I could not download what you sent. Please send it again, or write to me in words.',
  file_no_room: 'Sorry, I have no room for files at the moment. Please write to me in words.',
  file_expired: 'Sorry, I no longer have what you sent. Please send it again.',
  recording_unclear:
    'Sorry, I could not understand that recording. Please send it again, or write to me in words.',
  unsupported_file_type: "Sorry, I can't read files of this kind yet. Please write to me in words.",
  agents_list: 'You can ask one of these by starting your message with /agent and the name:',
  agents_more: 'and {$count} more',
  agent_chosen: '{$agent} answers you now.',
  approval_waiting:
    'That needs an approval first: {$tools}. I have asked for it, and I will come back to you as soon as somebody has decided.',
  approval_rejected: '{$tool} was not approved, so I have not done it.',
  approval_rejected_note: '{$tool} was not approved ({$note}), so I have not done it.',
  approval_expired:
    'Nobody decided about {$tool} in time, so I have not done it. Ask me again if you still want it.',
  approval_refused: '{$tool} was approved, but it is no longer allowed, so I have not done it.',
  approval_refused_detail:
    '{$tool} was approved, but it is no longer allowed: {$detail}. I have not done it.',
  approval_uncertain:
    '{$tool} was approved, but I was interrupted in the middle of it: I cannot say whether it was done, and I will not do it twice. Please check before you ask for it again.',
  approval_failed: '{$tool} was approved, but it did not work.',
  approval_executed: '{$tool} was approved, and it is done.',
  rating_question: 'Did that help you?',
  rating_yes: '👍 Yes',
  rating_no: '👎 No',
  menu_start: 'Begin',
  menu_help: 'What I can do',
  menu_new: 'Start a new conversation',
  menu_stop: 'Stop answering',
  mail_subject: 'Please confirm your mail to {$mailbox}',
  mail_hello: 'Hello,',
  mail_came:
    '{$mailbox} has received a mail that names you as its sender. Only people who have confirmed their address get answers there, so yours is waiting.',
  mail_allow:
    'If it is from you, open this page and allow it. It will be answered right away, and you will not be asked again:',
  mail_alone: 'The link is for you alone, and works for 24 hours. Please do not forward it.',
  mail_not_you: 'If you did not write it, you can ignore this mail.',
  mail_button: 'Confirm my address',
  chat_mail_subject: 'Your chat with {$mailbox}',
  chat_mail_came: 'somebody has named this address in a chat, to get the answers of {$mailbox} by mail.',
  chat_mail_allow:
    'If that was you, open this page and confirm it. Answers that you miss in the chat will then come here, and you can reply to them:',
  invite_subject: 'You are invited to {$tenant}',
  invite_came: 'you are invited to work with {$tenant} on Botyard.',
  invite_accept: 'To accept, open this page and sign in with this email address:',
  invite_end: 'The invitation is valid for 14 days. If you were not expecting it, you can ignore this mail.',
};
