/**
 * The words of Exchange, Outlook and other programs before the subject of an absence reply, by language. Exchange's
 * replies within an organization and to some partners carry no other sign. Source: the language packs of Outlook and
 * Exchange, Microsoft Learn ("automatic replies"), and the subject lists of Zammad, FreeScout, osTicket and Chatwoot.
 */
const beginnings = [
  'automatic reply|automatic response|auto[- ]?reply|auto[- ]?response|autoresponder|out of (?:the )?office',
  'out of office auto[- ]?reply|vacation reply|away from my mail|i am out of (?:the )?office',
  'automatische antwort|automatische abwesenheitsantwort|abwesenheitsnotiz|abwesenheitsbenachrichtigung',
  'abwesenheitsmeldung|abwesend|autom\\. antwort',
  'réponse automatique|reponse automatique|absence du bureau|absent\\(e\\) du bureau|message d.absence',
  'respuesta automática|respuesta automatica|fuera de (?:la )?oficina|resposta automàtica|erantzun automatikoa',
  'risposta automatica|fuori sede|fuori ufficio|assente|resposta automática|resposta automatica',
  'fora do escritório|ausência temporária|ausência do escritório',
  'automatisch antwoord|automatische reactie|afwezigheidsbericht|afwezig|niet aanwezig|buiten kantoor',
  'autosvar|automatiskt svar|automatisk svar|frånvaromeddelande|frånvaro|fraværsmelding|fravær',
  'ikke til stede|sjálfvirkt svar|automaattinen vastaus|poissaoloilmoitus|poissa',
  'automaatvastus|automaatne vastus|automātiskā atbilde|automatinis atsakymas',
  'odpowiedź automatyczna|automatyczna odpowiedź|autoodpowiedź|nieobecność|poza biurem',
  'automatická odpověď|automatická odpoveď|mimo kancelář|mimo kancelárie',
  'automatikus válasz|házon kívül|răspuns automat|în afara biroului|автоматичен отговор|извън офиса',
  'автоматический ответ|автоответ|нет на месте|автоматична відповідь|автовідповідь|аўтаматычны адказ',
  'automatski odgovor|аутоматски одговор|автоматски одговор|samodejni odgovor|samodejen odgovor',
  'αυτόματη απάντηση|εκτός γραφείου|otomatik yanıt|otomatik yanit|ofis dışında|avtomatik cavab',
  'תשובה אוטומטית|מענה אוטומטי|הודעת היעדרות|رد تلقائي|الرد التلقائي|خارج المكتب|پاسخ خودکار',
  '自动答复|自动回复|自動回覆|自動回復|不在办公室|不在辦公室|外出|自動応答|自動返信|不在通知|不在',
  '자동 회신|자동회신|자동 응답|자동응답|부재중|부재 중|ตอบกลับอัตโนมัติ|การตอบกลับอัตโนมัติ|ไม่อยู่ที่สำนักงาน',
  'trả lời tự động|tự động trả lời|thư trả lời tự động|balasan otomatis|balasan automatik|jawapan automatik',
  'स्वचालित उत्तर|स्वतः उत्तर|স্বয়ংক্রিয় উত্তর|தானியங்கு பதில்|ავტომატური პასუხი|автоматты жауап',
].join('|');
/** A person may write about such replies: `Automatic replies don't work`. Programs put a colon or nothing behind it. */
const automaticReply = new RegExp(`^\\[?(?:${beginnings})\\]?(?:\\s?[:：]|\\s?[-–—]\\s|$)`, 'iu');

/** Outlook's and other calendars' answers to an invitation. They count only beside a sign of a calendar. */
const calendarReply =
  /^(?:accepted|declined|tentative|tentatively accepted|zugesagt|angenommen|abgelehnt|mit vorbehalt|accepté|refusé|provisoire|aceptad[oa]|rechazad[oa]|accettato|rifiutato|aceito|recusado|geaccepteerd|geweigerd|accepterat|avböjt|accepteret|afvist|zaakceptowano|odrzucono|přijato|odmítnuto|принято|отклонено|已接受|已拒绝|承諾|辞退|수락|거절)\s?[:：]/iu;

/** Receipts that mail programs send as plain mail, beside the fields of RFC 8098 in their text. */
const dispositionField = /^disposition:\s{0,20}[\w-]{1,40}\/[\w-]{1,40}\s{0,20};/im;

const maxUnits = 300;
const maxReceiptUnits = 4000;

/** Whether a program answered for its person who is away, by the subject. */
export const isAutomaticSubject = (subject: string): boolean =>
  automaticReply.test(
    subject
      .slice(0, maxUnits)
      .replace(/\p{Cf}+/gu, '')
      .trim(),
  );

export const isCalendarReplySubject = (subject: string): boolean =>
  calendarReply.test(subject.slice(0, maxUnits).trim());

export const isReceiptText = (text: string): boolean => dispositionField.test(text.slice(0, maxReceiptUnits));
