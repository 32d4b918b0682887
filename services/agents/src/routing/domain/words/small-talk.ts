/**
 * Everyday words without a topic that the library's stop words lack, by language. Polish and Thai, for which the
 * library has no list, have their function words here, too. Topics (order, bill, error) are never in the list.
 */
export const smallTalk: Readonly<Record<string, string>> = {
  en: `a an the is are was hi hello hey thanks thank please ok okay yes yeah no not don doesn didn isn aren won wouldn couldn
    can could would will shall may might must should need want like wanted let get got getting give gave make made take
    tell ask know think see say help helps question questions someone something anything anyone somebody everything
    everyone really very just still also even ever never always already today now soon im ive id ll ve re us
    good great nice day morning evening dear sir madam guys problem thing things way
    many much lot lots one two three first again back here there maybe assist assistance handle handles answer answers
    agent assistant bot team`,
  de: `hallo hi guten tag morgen abend danke bitte ja nein ok kann können könnte könnt konnte möchte möchten will wollen wollte
    brauche brauchen braucht habe hat haben gibt geht gehen machen macht mache gern gerne mal schon noch immer sehr
    hilfe helfen hilft frage fragen jemand etwas heute jetzt wissen weiß sagen problem wurde wird werden wie warum wieso
    wo wann lieber liebe herr frau beantwortet kümmert rund`,
  fr: `bonjour bonsoir salut merci svp stp plait oui non ok peux peut pouvez pouvons puis pourrais pourriez voudrais veux veut
    voulez vouloir besoin aide aider aidez faire fait fais avoir être est comment pourquoi quand où combien quoi quelqu
    quelque chose toujours encore très bien aujourd hui maintenant déjà problème question questions dire savoir va vais
    aller donc plus moins cher chère jusqu lorsqu répond`,
  es: `hola buenos buenas días dia tardes noches gracias por favor sí si no ok puedo puede pueden podría podrían quiero quiere
    quisiera necesito necesita ayuda ayudar ayúdame tengo tiene tener hay hacer hago cómo como qué cuándo dónde por
    alguien algo todavía aún muy bien hoy ahora ya problema pregunta preguntas saber decir está estoy va ir mi tu su un una`,
  pt: `olá ola oi bom boa dia tarde noite obrigado obrigada por favor sim não nao ok posso pode podem poderia quero quer queria
    gostaria preciso precisa ajuda ajudar tenho tem ter há fazer faço como quê quando onde alguém algo ainda muito bem
    hoje agora já problema pergunta perguntas saber dizer está estou vai ir meu minha meus minhas um uma vocês você`,
  it: `ciao salve buongiorno buonasera grazie prego per favore sì no ok posso può potete potrei vorrei voglio vuole bisogno
    aiuto aiutare aiutarmi ho ha avere fare fatto faccio come cosa quando dove perché qualcuno qualcosa ancora molto
    bene oggi adesso ora già problema domanda domande sapere dire sono sto va andare mio mia miei mie un una`,
  nl: `hallo hoi goedemorgen goedemiddag dag bedankt dank alsjeblieft alstublieft graag ja nee ok kan kunt kunnen zou wil willen
    wilt nodig heb heeft hebben hulp helpen help doen gaat gaan hoe waarom wanneer waar wat iemand iets nog steeds heel
    erg goed vandaag nu al probleem vraag vragen weten zeggen mijn jullie`,
  sv: `hej hallå tack snälla ja nej ok kan kunna skulle vill behöver har ha hjälp hjälpa hjälper göra gör hur varför när var
    någon något fortfarande mycket bra idag nu redan problem fråga frågor veta säga min mitt mina`,
  no: `hei hallo takk vennligst ja nei ok kan kunne skulle vil trenger har ha hjelp hjelpe gjøre gjør hvordan hvorfor når hvor
    noen noe fortsatt fremdeles veldig bra idag nå allerede problem spørsmål vite si min mitt mine`,
  da: `hej tak venligst ja nej ok kan kunne skulle vil behøver har have hjælp hjælpe gøre gør hvordan hvorfor hvornår hvor nogen
    noget stadig meget godt idag nu allerede problem spørgsmål vide sige min mit mine`,
  fi: `hei moi terve kiitos ole hyvä kyllä ei ok voin voit voiko voisin haluan haluaisin tarvitsen apua auttaa onko miten miksi
    milloin missä joku jotain vielä hyvin tänään nyt jo ongelma kysymys minun mun`,
  hu: `szia helló köszönöm kérem igen nem ok tudok tud lehet szeretnék szeretném akarok kell segítség segíteni segítsen van
    hogyan miért mikor hol valaki valami még nagyon jó ma most már probléma kérdés`,
  ro: `bună salut mulțumesc rog da nu ok pot poate puteți aș vreau vrea nevoie ajutor ajuta am are avea fac cum când unde
    cineva ceva încă foarte bine azi acum deja problemă întrebare mea meu`,
  tr: `merhaba selam günaydın iyi günler teşekkürler teşekkür ederim lütfen evet hayır tamam istiyorum isterim istiyor lazım
    gerek gerekiyor var yok yardım nasıl neden niye zaman nerede kim bir şey hala hâlâ çok bugün şimdi sorun soru mı mi
    mu mü benim bana olur olarak edebilir misiniz miyim`,
  id: `halo hai selamat pagi siang malam terima kasih tolong mohon ya tidak ok bisa ingin mau perlu butuh ada bantuan bantu
    bagaimana mengapa kenapa kapan mana seseorang sesuatu masih sangat baik sekarang sudah masalah pertanyaan saya aku`,
  pl: `i w na z do o za po od dla przez przy pod nad że to ten ta te tego tej tych jest są był była być nie tak się co jak kiedy
    gdzie dlaczego czemu czy kto mój moja moje mojej mojego mam ma mieć a ale lub oraz już jeszcze też tylko bardzo
    cześć hej witam dzień dobry wieczór dziękuję proszę mogę można może chcę chciałbym chciałabym potrzebuję pomoc
    pomóc pomocy pytanie problem teraz dziś dzisiaj ktoś coś mi mnie ja ty on ona my wy oni`,
  ru: `привет здравствуйте здравствуй добрый добрая доброе день вечер утро спасибо пожалуйста да нет ок могу можно может можете
    хочу хотел хотела хотелось нужно нужна нужен нужны надо помогите помощь помочь помогает вопрос вопросы есть почему
    когда где как кто что какой какая какие чем чём это мой моя моё мои мне меня вам вас очень сейчас сегодня уже ещё
    проблема делать сделать скажите подскажите знать узнать который которые`,
  uk: `і та в у на з із зі до про за по від для через при під над що це цей ця ці є був була бути не так як коли де чому чи хто
    мій моя моє мої моєї мого мені мене я ти ви ми він вона воно вони а але або вже ще теж тільки дуже привіт вітаю
    добрий день вечір дякую будь ласка можу можна може хочу хотів хотіла потрібно потрібна потрібен треба допоможіть
    допомога допомогти питання проблема зараз сьогодні який яка які скажіть підкажіть мною вам вас`,
  bg: `здравей здравейте добър ден благодаря моля да не може мога искам трябва помощ помогнете въпрос как защо кога къде кой
    какво това моя моят моята още вече много сега днес проблем имам`,
  el: `γεια καλημέρα καλησπέρα ευχαριστώ παρακαλώ ναι όχι μπορώ μπορείτε θέλω ήθελα χρειάζομαι βοήθεια ερώτηση πώς γιατί πότε
    πού ποιος κάτι κάποιος ακόμα πολύ τώρα σήμερα ήδη πρόβλημα μου έχω θα να το τα τη την του της`,
  ar: `مرحبا مرحبًا أهلا السلام عليكم شكرا شكرًا من فضلك لو سمحت نعم لا أريد اريد أود احتاج أحتاج أستطيع يمكن يمكنني ممكن هل كيف لماذا متى
    أين ماذا ما هو هي هذا هذه لي لدي عندي مساعدة المساعدة ساعدني سؤال مشكلة الآن اليوم جدا أيضا بعد لم لن قد كان تم في عن على إلى`,
  ja: `こんにちは こんばんは おはよう おはようございます ありがとう ありがとうございます すみません お願い お願いします ください ました ます ません です ですが
    したい たい ほしい 欲しい どう どうすれば なぜ いつ どこ 誰 何 教えて 知り 質問 問題 困っ 助け 私 今日 今 まだ もう とても について さん は を に へ と も よ ね か の`,
  zh: `你好 您好 谢谢 請 请 请问 我想 我要 我 想 要 需要 可以 能 能否 吗 呢 吧 怎么 怎么办 为什么 什么 什么时候 哪里 谁 有 没有 没 还 还没 已经 很 非常 现在
    今天 问题 帮 帮助 帮忙 帮我 知道 告诉 是 的 了 在 和 与 您 我的 你们 一下 一个 这 这个 那 那个 不 都 也 就 到`,
  th: `สวัสดี ครับ ค่ะ คะ นะ ขอบคุณ กรุณา ช่วย ขอ อยาก ต้องการ ได้ ไหม ไม่ ใช่ มี เป็น อยู่ คือ ที่ ใน ของ และ หรือ กับ จาก ให้ ว่า ฉัน ผม ดิฉัน คุณ เรา นี้
    นั้น ยังไง อย่างไร ทำไม เมื่อไหร่ ที่ไหน ใคร อะไร แล้ว ยัง มาก ตอนนี้ วันนี้ ปัญหา คำถาม ถาม หน่อย จะ ก็ ไป มา ทำ`,
};
