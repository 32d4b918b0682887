const english = {
  open: 'Open chat',
  close: 'Close chat',
  title: 'Chat',
  ai: 'You are talking to an AI. A person may join.',
  person: 'A person has joined.',
  bot: 'The AI answers again.',
  you: 'You',
  assistant: 'AI assistant',
  staff: 'Team',
  write: 'Write a message',
  send: 'Send',
  attach: 'Attach a file',
  record: 'Record a voice message',
  stopRecording: 'Stop and send the recording',
  sending: 'Sending',
  sent: 'Sent',
  read: 'Read',
  typing: 'An answer is being written',
  deleted: 'This message was deleted.',
  remove: 'Delete message',
  retry: 'Try again',
  discard: 'Discard',
  failed: 'This message could not be sent.',
  offline: 'No connection. Your messages will be sent as soon as there is one.',
  unavailable: 'This chat is not available here.',
  tooLarge: 'The file is larger than 10 MB.',
  unread: 'New messages',
  messages: 'Messages',
};

const of = (texts) => Object.fromEntries(Object.keys(english).map((name, index) => [name, texts[index]]));

const languages = {
  en: english,
  de: of([
    ...['Chat öffnen', 'Chat schließen', 'Chat', 'Sie sprechen mit einer KI. Ein Mensch kann dazukommen.'],
    ...['Ein Mensch ist dazugekommen.', 'Die KI antwortet wieder.', 'Sie', 'KI-Assistent', 'Team'],
    ...['Nachricht schreiben', 'Senden', 'Datei anhängen', 'Sprachnachricht aufnehmen'],
    ...[
      'Aufnahme beenden und senden',
      'Wird gesendet',
      'Gesendet',
      'Gelesen',
      'Eine Antwort wird geschrieben',
    ],
    ...['Diese Nachricht wurde gelöscht.', 'Nachricht löschen', 'Erneut versuchen', 'Verwerfen'],
    ...['Diese Nachricht konnte nicht gesendet werden.'],
    ...['Keine Verbindung. Ihre Nachrichten werden gesendet, sobald es eine gibt.'],
    ...[
      'Dieser Chat ist hier nicht verfügbar.',
      'Die Datei ist größer als 10 MB.',
      'Neue Nachrichten',
      'Nachrichten',
    ],
  ]),
  fr: of([
    ...[
      'Ouvrir le chat',
      'Fermer le chat',
      'Chat',
      'Vous parlez à une IA. Une personne peut vous rejoindre.',
    ],
    ...['Une personne a rejoint le chat.', 'L’IA répond à nouveau.', 'Vous', 'Assistant IA', 'Équipe'],
    ...['Écrire un message', 'Envoyer', 'Joindre un fichier', 'Enregistrer un message vocal'],
    ...[
      'Arrêter et envoyer l’enregistrement',
      'Envoi en cours',
      'Envoyé',
      'Lu',
      'Une réponse est en cours d’écriture',
    ],
    ...['Ce message a été supprimé.', 'Supprimer le message', 'Réessayer', 'Abandonner'],
    ...['Ce message n’a pas pu être envoyé.'],
    ...['Pas de connexion. Vos messages partiront dès qu’elle sera rétablie.'],
    ...['Ce chat n’est pas disponible ici.', 'Le fichier dépasse 10 Mo.', 'Nouveaux messages', 'Messages'],
  ]),
  es: of([
    ...['Abrir el chat', 'Cerrar el chat', 'Chat', 'Está hablando con una IA. Puede unirse una persona.'],
    ...['Se ha unido una persona.', 'La IA vuelve a responder.', 'Usted', 'Asistente de IA', 'Equipo'],
    ...['Escriba un mensaje', 'Enviar', 'Adjuntar un archivo', 'Grabar un mensaje de voz'],
    ...['Detener y enviar la grabación', 'Enviando', 'Enviado', 'Leído', 'Se está escribiendo una respuesta'],
    ...['Este mensaje se ha eliminado.', 'Eliminar el mensaje', 'Reintentar', 'Descartar'],
    ...['No se ha podido enviar este mensaje.'],
    ...['Sin conexión. Sus mensajes se enviarán en cuanto la haya.'],
    ...['Este chat no está disponible aquí.', 'El archivo supera los 10 MB.', 'Mensajes nuevos', 'Mensajes'],
  ]),
  it: of([
    ...['Apri la chat', 'Chiudi la chat', 'Chat', 'Sta parlando con un’IA. Può intervenire una persona.'],
    ...['Si è aggiunta una persona.', 'L’IA risponde di nuovo.', 'Lei', 'Assistente IA', 'Team'],
    ...['Scriva un messaggio', 'Invia', 'Allega un file', 'Registra un messaggio vocale'],
    ...['Ferma e invia la registrazione', 'Invio in corso', 'Inviato', 'Letto', 'È in arrivo una risposta'],
    ...['Questo messaggio è stato eliminato.', 'Elimina il messaggio', 'Riprova', 'Scarta'],
    ...['Non è stato possibile inviare questo messaggio.'],
    ...['Nessuna connessione. I messaggi partiranno appena ce ne sarà una.'],
    ...['Questa chat non è disponibile qui.', 'Il file supera i 10 MB.', 'Nuovi messaggi', 'Messaggi'],
  ]),
  ar: of([
    ...['فتح المحادثة', 'إغلاق المحادثة', 'محادثة', 'أنت تتحدث إلى ذكاء اصطناعي. قد ينضم شخص.'],
    ...['انضم شخص إلى المحادثة.', 'يجيب الذكاء الاصطناعي من جديد.', 'أنت', 'مساعد ذكي', 'الفريق'],
    ...['اكتب رسالة', 'إرسال', 'إرفاق ملف', 'تسجيل رسالة صوتية'],
    ...['إيقاف التسجيل وإرساله', 'جارٍ الإرسال', 'أُرسلت', 'قُرئت', 'تُكتب إجابة الآن'],
    ...['حُذفت هذه الرسالة.', 'حذف الرسالة', 'إعادة المحاولة', 'تجاهل'],
    ...['تعذّر إرسال هذه الرسالة.'],
    ...['لا يوجد اتصال. ستُرسل رسائلك عند عودته.'],
    ...['هذه المحادثة غير متاحة هنا.', 'حجم الملف أكبر من 10 ميغابايت.', 'رسائل جديدة', 'الرسائل'],
  ]),
};

/** The fixed words in the first of these languages that there are words for. */
export function wordsFor(wanted) {
  const tag = wanted.find((one) => languages[one.toLowerCase().split('-')[0]]) ?? 'en';
  return languages[tag.toLowerCase().split('-')[0]];
}
