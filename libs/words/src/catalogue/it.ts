import type { Catalogue } from './catalogue.ts';

export const italian: Catalogue = {
  greeting: 'Buongiorno! Sono {$bot}. Mi scriva e le risponderò.',
  help: [
    'Mi scriva con parole sue e le risponderò.',
    '',
    '/new inizia una nuova conversazione: dimentico ciò che è stato detto prima.',
    '/stop interrompe la risposta in corso.',
    '/help mostra questo testo.',
  ].join('\n'),
  new_conversation: 'Nuova conversazione: ho dimenticato ciò che è stato detto prima.',
  goodbye: 'Va bene, mi fermo. Mi scriva ogni volta che ha bisogno di me.',
  account_link:
    "Per questo mi serve l'accesso al suo account su {$server}. Apra questo link entro dieci minuti e non lo inoltri a nessuno: {$url}",
  account_connected:
    'Il suo account su {$server} è collegato. Me lo chieda di nuovo. /disconnect lo scollega.',
  account_code_wrong:
    'Questo codice non è valido o non lo è più. Me lo chieda di nuovo e le invierò un nuovo link.',
  accounts_disconnected: 'Non ho più accesso a nessuno dei suoi account.',
  delay: 'Ci vuole più tempo del solito. Ci sto ancora lavorando.',
  handover: "Per questo è meglio l'aiuto di una persona. L'ho chiesto: le scriveranno qui.",
  timeout: 'Mi dispiace, la mia risposta ha richiesto troppo tempo. Me lo chieda di nuovo, per favore.',
  unavailable:
    'Mi dispiace, in questo momento non riesco a ragionare bene. Riprovi tra qualche minuto, per favore.',
  busy: 'Mi dispiace, in questo momento ho moltissimo da fare. Riprovi tra un minuto, per favore.',
  key_refused:
    'Mi dispiace, al momento non posso rispondere: chi mi gestisce deve controllare le mie impostazioni.',
  model_refused:
    'Mi dispiace, al momento non posso rispondere: chi mi gestisce deve controllare quale modello uso.',
  refused:
    'Mi dispiace, non sono riuscito a elaborare questo messaggio. Provi a dirlo in un altro modo, per favore.',
  too_long: 'Mi dispiace, è troppo lungo per me. Mi mandi un messaggio più breve, per favore.',
  request_refused:
    'Mi dispiace, al momento non posso rispondere, e non dipende dal suo messaggio: chi mi gestisce deve controllare le mie impostazioni.',
  'answer.cut':
    '(La mia risposta è stata interrotta qui perché era troppo lunga. Mi chieda di continuare se le serve il resto.)',
  'answer.filtered': 'Non posso dire di più su questo: un filtro del mio modello non lo permette.',
  no_words: 'Mi dispiace, non ho trovato una risposta. Provi a dirlo in un altro modo, per favore.',
  no_key: "Mi dispiace, non posso ancora rispondere: chi mi gestisce deve darmi l'accesso a un modello.",
  no_agent:
    "Mi dispiace, non c'è ancora nessuno che possa rispondere: chi mi gestisce deve configurare un agente.",
  agent_disabled: 'Mi dispiace, al momento non sono attivo: chi mi gestisce deve riattivarmi.',
  quota_exhausted: 'Mi dispiace, per ora non posso rispondere oltre. Riprovi più tardi, per favore.',
  allowance_used_up:
    'Mi dispiace, per questo mese non posso rispondere oltre. Lo faccia sapere a chi mi gestisce, per favore.',
  not_granted: 'Mi dispiace, non posso ancora parlare con lei qui: prima chi mi gestisce deve autorizzarla.',
  unsupported: 'Mi dispiace, per ora so leggere solo testo. Mi scriva a parole, per favore.',
  unsupported_voice:
    'Mi dispiace, non posso ancora ascoltare i messaggi vocali. Mi scriva a parole, per favore.',
  unsupported_audio: 'Mi dispiace, non posso ancora ascoltare i file audio. Mi scriva a parole, per favore.',
  unsupported_photo: 'Mi dispiace, non posso ancora guardare le foto. Mi scriva a parole, per favore.',
  unsupported_video: 'Mi dispiace, non posso ancora guardare i video. Mi scriva a parole, per favore.',
  unsupported_video_note:
    'Mi dispiace, non posso ancora guardare i videomessaggi. Mi scriva a parole, per favore.',
  unsupported_animation:
    'Mi dispiace, non posso ancora guardare le animazioni. Mi scriva a parole, per favore.',
  unsupported_sticker: 'Mi dispiace, non capisco ancora gli sticker. Mi scriva a parole, per favore.',
  unsupported_document: 'Mi dispiace, non posso ancora aprire i file. Mi scriva a parole, per favore.',
  unsupported_location: 'Mi dispiace, non so ancora leggere le mappe. Mi scriva a parole, per favore.',
  unsupported_contact: 'Mi dispiace, non posso ancora leggere i contatti. Mi scriva a parole, per favore.',
  unsupported_poll: 'Mi dispiace, non posso ancora partecipare ai sondaggi. Mi scriva a parole, per favore.',
  unsupported_checklist:
    'Mi dispiace, non posso ancora leggere le liste di cose da fare. Mi scriva a parole, per favore.',
  unsupported_game: 'Mi dispiace, non so ancora giocare. Mi scriva a parole, per favore.',
  unsupported_story: 'Mi dispiace, non posso ancora guardare le storie. Mi scriva a parole, per favore.',
  file_too_large:
    'Mi dispiace, questo file è troppo grande per me: posso ricevere al massimo 20 MB. Me ne invii uno più piccolo, per favore.',
  file_unavailable:
    'Mi dispiace, non sono riuscito a ricevere ciò che ha inviato. Lo invii di nuovo o mi scriva a parole, per favore.',
  file_no_room: 'Mi dispiace, al momento non ho spazio per i file. Mi scriva a parole, per favore.',
  file_expired: 'Mi dispiace, non ho più ciò che ha inviato. Lo invii di nuovo, per favore.',
  recording_unclear:
    'Mi dispiace, non sono riuscito a capire questa registrazione. La invii di nuovo o mi scriva a parole, per favore.',
  unsupported_file_type:
    'Mi dispiace, non so ancora leggere file di questo tipo. Mi scriva a parole, per favore.',
  agents_list: 'Può rivolgersi a uno di questi iniziando con /agent e il nome:',
  agents_more: '.input {$count :integer} .match $count one {{e {$count} altro}} * {{e altri {$count}}}',
  agent_chosen: 'Ora le risponde {$agent}.',
  approval_waiting:
    "Prima serve un'autorizzazione: {$tools}. L'ho richiesta e le farò sapere appena qualcuno avrà deciso.",
  approval_rejected: "{$tool} non è stato autorizzato, quindi non l'ho fatto.",
  approval_rejected_note: "{$tool} non è stato autorizzato ({$note}), quindi non l'ho fatto.",
  approval_expired:
    "Nessuno ha deciso in tempo su {$tool}, quindi non l'ho fatto. Me lo chieda di nuovo se lo desidera ancora.",
  approval_refused: "{$tool} è stato autorizzato, ma nel frattempo non è più consentito. Non l'ho fatto.",
  approval_refused_detail:
    "{$tool} è stato autorizzato, ma nel frattempo non è più consentito: {$detail}. Non l'ho fatto.",
  approval_uncertain:
    '{$tool} è stato autorizzato, ma mi sono interrotto a metà: non so dire se sia stato fatto, e non lo faccio due volte. Controlli prima di chiederlo di nuovo, per favore.',
  approval_failed: '{$tool} è stato autorizzato, ma non ha funzionato.',
  approval_executed: '{$tool} è stato autorizzato ed è fatto.',
  rating_question: 'È stato utile?',
  rating_yes: '👍 Sì',
  rating_no: '👎 No, per niente',
  menu_start: 'Inizia',
  menu_help: 'Che cosa so fare',
  menu_new: 'Inizia una nuova conversazione',
  menu_stop: 'Smetti di rispondere',
  mail_subject: 'Confermi la sua e-mail a {$mailbox}',
  mail_hello: 'Buongiorno,',
  mail_came:
    'a {$mailbox} è arrivata una e-mail che la indica come mittente. Lì si risponde solo a chi ha confermato il proprio indirizzo, perciò la sua è in attesa.',
  mail_allow:
    'Se è sua, apra questa pagina e la confermi. Riceverà subito una risposta e la domanda non le sarà più fatta:',
  mail_alone: 'Il link è solo per lei e vale 24 ore. Non lo inoltri, per favore.',
  mail_not_you: 'Se non ha scritto lei, non deve fare nulla: senza di lei non succede niente.',
  mail_button: 'Conferma il mio indirizzo',
  chat_mail_subject: 'La sua chat con {$mailbox}',
  chat_mail_came:
    'qualcuno ha indicato questo indirizzo in una chat per ricevere via e-mail le risposte di {$mailbox}.',
  chat_mail_allow:
    'Se è stato lei, apra questa pagina e lo confermi. Le risposte che non vede nella chat arriveranno qui, e potrà replicare:',
  invite_subject: 'Ha ricevuto un invito da {$tenant}',
  invite_came: 'ha ricevuto un invito a lavorare con {$tenant} su Botyard.',
  invite_accept: 'Per accettare, apra questa pagina e acceda con questo indirizzo e-mail:',
  invite_end: "L'invito vale 14 giorni. Se non lo aspettava, non deve fare nulla.",
};
