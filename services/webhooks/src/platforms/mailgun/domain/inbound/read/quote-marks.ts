/** The words that mail programs write around answered and forwarded mails, in common languages. */

const headings = {
  answered: [
    'original message|original appointment|ursprüngliche nachricht|originalnachricht|ursprünglicher termin',
    "message d'origine|message original|mensaje original|messaggio originale|mensagem original",
    'oorspronkelijk bericht|oorspronkelijke bericht|ursprungligt meddelande|originalmeddelande',
    'oprindelig meddelelse|original meddelelse|opprinnelig melding|alkuperäinen viesti',
    'oryginalna wiadomość|wiadomość oryginalna|původní zpráva|pôvodná správa|eredeti üzenet|mesaj original',
    'исходное сообщение|оригинальное сообщение|вихідне повідомлення|orijinal mesaj|özgün ileti',
    '原始邮件|原始郵件|原始訊息|元のメッセージ|원본 메시지|원본메시지',
  ],
  forwarded: [
    'forwarded message|weitergeleitete nachricht|message transféré|mensaje reenviado|messaggio inoltrato',
    'mensagem encaminhada|doorgestuurd bericht|vidarebefordrat meddelande|videresendt meddelelse',
    'videresendt melding|välitetty viesti|przekazana wiadomość|wiadomość przekazana dalej',
    'přeposlaná zpráva|továbbított üzenet|пересылаемое сообщение|пересланное сообщение|переслане повідомлення',
    'iletilen ileti|yönlendirilen ileti|转发的邮件|转发邮件|轉寄郵件|転送メッセージ|전달된 메시지',
  ],
} as const;

const labels = {
  from: [
    'from|von|de|da|van|från|fra|lähettäjä|od|nadawca|feladó|от|от кого|від|gönderen|kimden|expéditeur|mittente',
    '发件人|發件人|寄件者|寄件人|差出人|送信者|보낸 사람|보낸사람|من|מאת',
  ],
  date: [
    'sent|date|gesendet|datum|envoyé|envoyé le|enviado|enviado el|enviado em|enviada em|fecha|inviato|data|verzonden',
    'skickat|sendt|dato|lähetetty|päivä|wysłano|wysłane|odesláno|odoslané|elküldve|dátum|küldve',
    'отправлено|дата|надіслано|gönderildi|gönderilme|tarih',
    '发送时间|發送時間|寄件日期|傳送日期|日期|送信日時|日時|보낸 날짜|날짜|التاريخ|تاريخ الإرسال|תאריך|נשלח',
  ],
  subject: [
    'subject|betreff|objet|asunto|oggetto|assunto|onderwerp|ämne|emne|aihe|temat|předmět|predmet|tárgy|тема|konu',
    '主题|主旨|主題|件名|제목|الموضوع|נושא',
  ],
  to: [
    'to|an|à|a|para|aan|till|til|vastaanottaja|do|komu|címzett|кому|kime|alıcı|cc|kopie|kopia',
    '收件人|收件者|宛先|받는 사람|받는사람|إلى|אל',
  ],
} as const;
type Kind = keyof typeof labels;
const kinds = ['from', 'date', 'to', 'subject'] as const satisfies readonly Kind[];

/** A label may be bold, and the colon of another script. */
const headerOf = (words: readonly string[]) =>
  new RegExp(`^\\*?(?:${words.join('|')})\\s?[:：]\\*?\\s*\\S`, 'iu');
const anyHeader = headerOf(Object.values(labels).flat());
const headers: Record<Kind, RegExp> = {
  from: headerOf(labels.from),
  date: headerOf(labels.date),
  subject: headerOf(labels.subject),
  to: headerOf(labels.to),
};

const heading = (words: readonly string[]) => new RegExp(`^-{2,} ?(?:${words.join('|')}) ?-{2,}$`, 'iu');
const answered = heading(headings.answered);
const underscores = /^_{20,}$/;
const forwarded = heading(headings.forwarded);
const forwardedByApple = new RegExp(
  `^(?:${[
    'begin forwarded message|anfang der weitergeleiteten nachricht|début du message (?:transféré|réexpédié)',
    'inicio del mensaje reenviado|inizio messaggio inoltrato|início da mensagem (?:re)?encaminhada',
    'begin doorgestuurd bericht|vidarebefordrat brev|начало переадресованного сообщения|転送されたメッセージ',
    '下面是被转发的邮件|開始轉寄郵件|以下は転送されたメッセージです',
  ].join('|')})\\s?[:：]$`,
  'iu',
);
/** The prefixes of a forwarded mail's subject. */
const forwardPrefix = /^(?:fwd?|wg|tr|rv|i|enc|doorst|vb|vl|pd|ilt|转发|轉寄|転送)\s*[:：]/iu;
const maxUnitsOfLine = 1000;

/** Text without marks of direction, which may stand beside a label, a colon or an address. */
export const withoutDirection = (text: string): string => text.replace(/\p{Cf}+/gu, '');

const matches = (pattern: RegExp, line: string): boolean =>
  line.length <= maxUnitsOfLine && pattern.test(withoutDirection(line));
const hasColon = /[:：]/;

/** A line above an answered mail. */
export const isDivider = (line: string): boolean =>
  underscores.test(line) || (line.startsWith('-') && matches(answered, line));

/** A line above a forwarded mail. */
export const isForwardMark = (line: string): boolean =>
  line.startsWith('-') ? matches(forwarded, line) : hasColon.test(line) && matches(forwardedByApple, line);

/** A header of an answered mail, of this kind or of any. */
export const isAnsweredHeader = (line: string, kind?: Kind): boolean =>
  hasColon.test(line) && matches(kind === undefined ? anyHeader : headers[kind], line);

/** Whether a paragraph has every header that mail programs write above an answered mail. */
export const hasAnsweredHeaders = (paragraph: readonly string[]): boolean =>
  kinds.every((kind) => paragraph.some((line) => isAnsweredHeader(line, kind)));

export const isForwardSubject = (subject: string): boolean => forwardPrefix.test(subject.trim());
