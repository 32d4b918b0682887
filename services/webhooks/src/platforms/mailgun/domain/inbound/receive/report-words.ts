/**
 * Words of mail servers that report in plain text, or in their reader's language. Sources: Postfix bounce(5), Exim's
 * and Sendmail's default texts, qmail's QSBMF, Exchange's language packs of non-delivery reports.
 */
const failureSubjects = [
  'undelivered mail|undeliverable|undeliverable mail|mail delivery failed|mail delivery failure|delivery failed',
  'delivery failure|delivery status notification ?\\(failure\\)|returned mail|returned to sender|failure notice',
  'message not delivered|mail system error|non[- ]?delivery|nondeliverable|warnung: .*unzustellbar',
  'unzustellbar|nicht zustellbar|zustellung fehlgeschlagen|zustellungsfehler|non remis|échec de la remise',
  'non distribuable|courrier non délivré|no se puede entregar|no entregado|no se ha podido entregar',
  'mensaje no entregado|non recapitabile|mancato recapito|mancata consegna|não é possível entregar|não entregue',
  'não foi entregue|falha na entrega|onbestelbaar|kan niet worden bezorgd|niet bezorgd|olevererbart',
  'kunde inte levereras|kan inte levereras|uleverbar|kan ikke leveres|ikke leveret|kunne ikke leveres',
  'toimittaminen epäonnistui|ei voi toimittaa|ei voitu toimittaa|niedostarczalne|nie można dostarczyć',
  'niedostarczona|nedoručitelné|nelze doručit|nedoručiteľné|kézbesíthetetlen|nelivrabil|nu se poate livra',
  'не удается доставить|не удалось доставить|недоставленн|не доставлено|недоставено|не вдалося доставити',
  'nije moguće isporučiti|neisporučeno|ni mogoče dostaviti|teslim edilemedi|teslim edilemiyor|μη παραδοτέο',
  'δεν είναι δυνατή η παράδοση|לא ניתן למסירה|לא ניתן למסור|تعذر التسليم|تعذر تسليم|غير قابل للتسليم',
  '未送达|无法投递|无法送达|投递失败|退信|未傳遞|無法傳遞|無法投遞|配信不能|配信できません|配信に失敗|未送達|送信できませんでした',
  '배달되지 않음|배달할 수 없|전송 실패|반송|ไม่สามารถส่ง|không thể gửi|tidak terkirim|tidak dapat dikirim',
].join('|');

const failureTexts = [
  failureSubjects,
  'permanent (?:fatal )?(?:error|failure)|permanently rejected|giving up|gave up|given up|delivery has failed',
  'could not be delivered|couldn.t be delivered|cannot be delivered|was not delivered|wasn.t delivered',
  'unable to deliver|not able to deliver|user unknown|unknown user|no such user|does not exist|doesn.t exist',
  'mailbox unavailable|recipient rejected|address rejected|no further attempts|will not be retried|timed out and',
  'konnte nicht zugestellt werden|n.a pas pu être (?:remis|délivré|distribué)|no pudo ser entregado',
  'non è stato possibile (?:recapitare|consegnare)|não pôde ser entregue|kon niet worden (?:bezorgd|afgeleverd)',
].join('|');

/** A mail that is late: the server goes on trying. */
const delays = [
  'delivery status notification ?\\(delay\\)|delivery delayed|delayed delivery|mail delayed|message delayed',
  'delayed mail|delayed \\d{1,4} (?:hours?|minutes?|days?)|has been delayed|is delayed|delivery is delayed',
  'not yet been delivered|has not been delivered yet|not been delivered for|still being (?:tried|attempted)',
  'still trying|still in the (?:mail )?queue|will (?:continue|keep) (?:to try|trying|for some time|to be)',
  'will be retried|will retry|will try again|delivery attempts will continue|warning message only',
  'do(?:es)? not need to resend|temporary (?:failure|problem|error)|could not send message for past',
  'verzögert|verzögerung|noch nicht zugestellt|weiterhin versucht|retardé|remise différée|retard de|pas encore été',
  'retrasad[oa]|retraso|aún no se ha|todavía no|in ritardo|ritardat[oa]|non ancora|atrasad[oa]|atraso|ainda não',
  'vertraagd|vertraging|nog niet (?:bezorgd|afgeleverd)|försenad|fördröj|forsinket|forsinkelse|viivästy',
  'opóźni|jeszcze nie|zpožd|oneskor|késleltet|késés|întârzi|задерж|отложен|затрима|закъсн|kasni|zakasn|zamuj',
  'gecik|ertelen|καθυστ|מתעכב|עיכוב|تأخر|تأخير|延迟|延遲|推迟|遅延|遅れて|지연|ล่าช้า|trì hoãn|tertunda',
].join('|');

const asPattern = (words: string) => new RegExp(words, 'iu');
const failedSubject = asPattern(failureSubjects);
const failedText = asPattern(failureTexts);
const delayed = asPattern(delays);
const finalWords =
  /permanent (?:fatal )?(?:error|failure)|giving up|gave up|no further attempts|final attempt/i;
const maxSubjectUnits = 300;
const maxTextUnits = 10_000;

/** Whether a subject is one of a delivery report, of a failure or a delay. */
export const isReportSubject = (subject: string): boolean => {
  const read = subject.slice(0, maxSubjectUnits);
  return failedSubject.test(read) || /^(?:warning|delivery|mail delivery)/i.test(read) || delayed.test(read);
};

export const isFailureText = (text: string): boolean => failedText.test(text.slice(0, maxTextUnits));

export function isDelayText(text: string): boolean {
  const read = text.slice(0, maxTextUnits);
  return delayed.test(read) && !finalWords.test(read);
}
