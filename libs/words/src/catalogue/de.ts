import type { Catalogue } from './catalogue.ts';

export const german: Catalogue = {
  greeting: 'Hallo! Ich bin {$bot}. Schreiben Sie mir, und ich antworte.',
  help: [
    'Schreiben Sie mir einfach in Ihren eigenen Worten, und ich antworte.',
    '',
    '/new beginnt ein neues Gespräch: Ich vergesse, was vorher gesagt wurde.',
    '/stop bricht die Antwort ab, an der ich gerade bin.',
    '/help zeigt diesen Text.',
  ].join('\n'),
  new_conversation: 'Ein neues Gespräch: Was vorher gesagt wurde, habe ich vergessen.',
  goodbye: 'In Ordnung, ich höre auf. Schreiben Sie mir, wann immer Sie mich brauchen.',
  account_link:
    'Dafür brauche ich Zugriff auf Ihr Konto bei {$server}. Öffnen Sie diesen Link innerhalb von zehn Minuten, und geben Sie ihn nicht weiter: {$url}',
  account_connected:
    'Ihr Konto bei {$server} ist verbunden. Bitte fragen Sie mich noch einmal. /disconnect beendet das.',
  account_code_wrong:
    'Dieser Code ist nicht oder nicht mehr gültig. Bitte fragen Sie mich noch einmal, dann schicke ich Ihnen einen neuen Link.',
  accounts_disconnected: 'Ich habe auf keines Ihrer Konten mehr Zugriff.',
  delay: 'Das dauert länger als sonst. Ich arbeite noch daran.',
  handover:
    'Dabei soll Ihnen besser ein Mensch helfen. Ich habe jemanden darum gebeten; die Antwort kommt hier im Chat.',
  timeout: 'Entschuldigung, meine Antwort hat zu lange gedauert. Bitte fragen Sie mich noch einmal.',
  unavailable:
    'Entschuldigung, ich kann gerade keinen klaren Gedanken fassen. Bitte versuchen Sie es in ein paar Minuten noch einmal.',
  busy: 'Entschuldigung, ich habe gerade sehr viel zu tun. Bitte versuchen Sie es in einer Minute noch einmal.',
  key_refused:
    'Entschuldigung, ich kann im Moment nicht antworten: Wer mich betreibt, muss meine Einstellungen prüfen.',
  model_refused:
    'Entschuldigung, ich kann im Moment nicht antworten: Wer mich betreibt, muss prüfen, welches Modell ich verwende.',
  refused:
    'Entschuldigung, mit dieser Nachricht konnte ich nichts anfangen. Bitte versuchen Sie es mit anderen Worten.',
  too_long: 'Entschuldigung, das ist zu lang für mich. Bitte schicken Sie mir eine kürzere Nachricht.',
  request_refused:
    'Entschuldigung, ich kann gerade nicht antworten. Das liegt nicht an Ihrer Nachricht: Wer mich betreibt, muss meine Einstellungen prüfen.',
  'answer.cut':
    '(Meine Antwort wurde hier abgeschnitten, weil sie zu lang wurde. Bitten Sie mich fortzufahren, wenn Sie den Rest brauchen.)',
  'answer.filtered': 'Mehr kann ich dazu nicht sagen: Ein Filter meines Modells lässt es nicht zu.',
  no_words: 'Entschuldigung, dazu fiel mir nichts ein. Bitte versuchen Sie es mit anderen Worten.',
  no_key:
    'Entschuldigung, ich kann noch nicht antworten: Wer mich betreibt, muss mir erst Zugang zu einem Modell geben.',
  no_agent:
    'Entschuldigung, hier ist noch niemand, der antwortet: Wer mich betreibt, muss erst einen Agenten einrichten.',
  agent_disabled:
    'Entschuldigung, ich bin zurzeit ausgeschaltet: Wer mich betreibt, muss mich erst wieder einschalten.',
  quota_exhausted:
    'Entschuldigung, mehr darf ich im Moment nicht beantworten. Bitte versuchen Sie es später noch einmal.',
  allowance_used_up:
    'Entschuldigung, mehr darf ich in diesem Monat nicht beantworten. Bitte sagen Sie denen Bescheid, die mich betreiben.',
  not_granted:
    'Entschuldigung, ich darf hier noch nicht mit Ihnen sprechen: Wer mich betreibt, muss Sie erst freischalten.',
  unsupported: 'Entschuldigung, bisher kann ich nur Text lesen. Bitte schreiben Sie mir in Worten.',
  unsupported_voice:
    'Entschuldigung, Sprachnachrichten kann ich noch nicht anhören. Bitte schreiben Sie mir in Worten.',
  unsupported_audio:
    'Entschuldigung, Audiodateien kann ich noch nicht anhören. Bitte schreiben Sie mir in Worten.',
  unsupported_photo: 'Entschuldigung, Fotos kann ich noch nicht ansehen. Bitte schreiben Sie mir in Worten.',
  unsupported_video: 'Entschuldigung, Videos kann ich noch nicht ansehen. Bitte schreiben Sie mir in Worten.',
  unsupported_video_note:
    'Entschuldigung, Videonachrichten kann ich noch nicht ansehen. Bitte schreiben Sie mir in Worten.',
  unsupported_animation:
    'Entschuldigung, Animationen kann ich noch nicht ansehen. Bitte schreiben Sie mir in Worten.',
  unsupported_sticker: 'Entschuldigung, Sticker verstehe ich noch nicht. Bitte schreiben Sie mir in Worten.',
  unsupported_document:
    'Entschuldigung, Dateien kann ich noch nicht öffnen. Bitte schreiben Sie mir in Worten.',
  unsupported_location:
    'Entschuldigung, Orte auf der Karte kann ich noch nicht lesen. Bitte schreiben Sie mir in Worten.',
  unsupported_contact:
    'Entschuldigung, Kontakte kann ich noch nicht lesen. Bitte schreiben Sie mir in Worten.',
  unsupported_poll:
    'Entschuldigung, an Umfragen kann ich noch nicht teilnehmen. Bitte schreiben Sie mir in Worten.',
  unsupported_checklist:
    'Entschuldigung, Checklisten kann ich noch nicht lesen. Bitte schreiben Sie mir in Worten.',
  unsupported_game: 'Entschuldigung, Spiele kann ich noch nicht spielen. Bitte schreiben Sie mir in Worten.',
  unsupported_story: 'Entschuldigung, Storys kann ich noch nicht ansehen. Bitte schreiben Sie mir in Worten.',
  file_too_large:
    'Entschuldigung, diese Datei ist zu groß für mich: Ich kann höchstens 20 MB annehmen. Bitte schicken Sie mir eine kleinere.',
  file_unavailable:
    'Entschuldigung, was Sie geschickt haben, konnte ich nicht abrufen. Bitte schicken Sie es noch einmal, oder schreiben Sie mir in Worten.',
  file_no_room:
    'Entschuldigung, im Moment habe ich keinen Platz für Dateien. Bitte schreiben Sie mir in Worten.',
  file_expired:
    'Entschuldigung, was Sie geschickt haben, habe ich nicht mehr. Bitte schicken Sie es noch einmal.',
  recording_unclear:
    'Entschuldigung, diese Aufnahme konnte ich nicht verstehen. Bitte schicken Sie sie noch einmal, oder schreiben Sie mir in Worten.',
  unsupported_file_type:
    'Entschuldigung, Dateien dieser Art kann ich noch nicht lesen. Bitte schreiben Sie mir in Worten.',
  agents_list: 'Sie können sich an einen von diesen wenden: Beginnen Sie mit /agent und dem Namen.',
  agents_more:
    '.input {$count :integer} .match $count one {{und {$count} weiterer}} * {{und {$count} weitere}}',
  agent_chosen: 'Ab jetzt antwortet Ihnen {$agent}.',
  approval_waiting:
    'Das muss erst genehmigt werden: {$tools}. Ich habe darum gebeten und melde mich, sobald jemand entschieden hat.',
  approval_rejected: '{$tool} wurde nicht genehmigt. Ich habe es deshalb nicht getan.',
  approval_rejected_note: '{$tool} wurde nicht genehmigt ({$note}). Ich habe es deshalb nicht getan.',
  approval_expired:
    'Über {$tool} hat niemand rechtzeitig entschieden. Ich habe es deshalb nicht getan. Fragen Sie mich noch einmal, wenn Sie es weiterhin möchten.',
  approval_refused:
    '{$tool} wurde genehmigt, ist aber inzwischen nicht mehr erlaubt. Ich habe es nicht getan.',
  approval_refused_detail:
    '{$tool} wurde genehmigt, ist aber inzwischen nicht mehr erlaubt: {$detail}. Ich habe es nicht getan.',
  approval_uncertain:
    '{$tool} wurde genehmigt, aber ich wurde mittendrin unterbrochen: Ich weiß nicht, ob es geschehen ist, und tue es nicht zweimal. Bitte prüfen Sie es, bevor Sie noch einmal darum bitten.',
  approval_failed: '{$tool} wurde genehmigt, hat aber nicht funktioniert.',
  approval_executed: '{$tool} wurde genehmigt und ist erledigt.',
  rating_question: 'Hat Ihnen das geholfen?',
  rating_yes: '👍 Ja',
  rating_no: '👎 Nein',
  menu_start: 'Anfangen',
  menu_help: 'Was ich kann',
  menu_new: 'Ein neues Gespräch beginnen',
  menu_stop: 'Nicht weiter antworten',
  mail_subject: 'Bitte bestätigen Sie Ihre E-Mail an {$mailbox}',
  mail_hello: 'Guten Tag,',
  mail_came:
    'bei {$mailbox} ist eine E-Mail eingegangen, die Sie als Absender nennt. Dort werden nur E-Mails von Menschen beantwortet, die ihre Adresse bestätigt haben; Ihre wartet deshalb.',
  mail_allow:
    'Wenn sie von Ihnen ist, öffnen Sie diese Seite und bestätigen Sie es. Sie wird dann sofort beantwortet, und Sie werden nicht noch einmal gefragt:',
  mail_alone: 'Der Link ist nur für Sie bestimmt und gilt 24 Stunden. Bitte leiten Sie ihn nicht weiter.',
  mail_not_you: 'Wenn Sie nicht geschrieben haben, brauchen Sie nichts zu tun: Ohne Sie geschieht nichts.',
  mail_button: 'Meine Adresse bestätigen',
  chat_mail_subject: 'Ihr Chat mit {$mailbox}',
  chat_mail_came:
    'jemand hat in einem Chat diese Adresse angegeben, um die Antworten von {$mailbox} per E-Mail zu bekommen.',
  chat_mail_allow:
    'Wenn Sie das waren, öffnen Sie diese Seite und bestätigen Sie es. Antworten, die Sie im Chat verpassen, kommen dann hierher, und Sie können darauf antworten:',
  invite_subject: 'Sie sind zu {$tenant} eingeladen',
  invite_came: 'Sie sind eingeladen, bei {$tenant} auf Botyard mitzuarbeiten.',
  invite_accept: 'Um anzunehmen, öffnen Sie diese Seite und melden Sie sich mit dieser E-Mail-Adresse an:',
  invite_end: 'Die Einladung gilt 14 Tage. Wenn Sie sie nicht erwartet haben, brauchen Sie nichts zu tun.',
};
