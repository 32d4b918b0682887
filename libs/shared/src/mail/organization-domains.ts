import { isDomain, organizationalDomainOf } from './domains.ts';

/**
 * Mail domains at which anybody can get an address, so no tenant can own them. Maintained by hand, because the
 * registry's lists are either years old or download themselves on installation
 * (docs/decisions/0022-email-senders.md).
 */
const names = `
  gmail googlemail yahoo ymail rocketmail myyahoo hotmail outlook live msn windowslive passport gmx aol aim icloud yandex
  protonmail tutanota tutamail zoho zohomail mail inbox rediffmail fastmail mailfence mailinator yopmail guerrillamail
`;

const domains = `
  126.com 139.com 163.com 189.cn 21cn.com aliyun.com foxmail.com qq.com sina.cn sina.com sohu.com tom.com vip.163.com yeah.net
  daum.net hanmail.net kakao.com nate.com naver.com docomo.ne.jp ezweb.ne.jp nifty.com softbank.ne.jp ocn.ne.jp biglobe.ne.jp
  bk.ru internet.ru list.ru rambler.ru ro.ru ya.ru narod.ru ukr.net i.ua meta.ua bigmir.net tut.by
  me.com mac.com privaterelay.appleid.com duck.com hey.com pm.me proton.me tuta.com tuta.io keemail.me posteo.de posteo.net
  mailbox.org web.de freenet.de t-online.de arcor.de online.de email.de vodafone.de kabelmail.de unitybox.de mail.de
  magenta.de bluewin.ch hispeed.ch sunrise.ch gmx.net gmx.at a1.net aon.at chello.at
  orange.fr wanadoo.fr free.fr laposte.net sfr.fr neuf.fr bbox.fr numericable.fr club-internet.fr voila.fr
  libero.it virgilio.it tiscali.it alice.it tin.it email.it fastwebnet.it telefonica.net terra.es ono.com sapo.pt
  btinternet.com btopenworld.com ntlworld.com virginmedia.com blueyonder.co.uk sky.com talktalk.net tiscali.co.uk plus.net
  ziggo.nl kpnmail.nl planet.nl home.nl xs4all.nl hetnet.nl casema.nl telenet.be skynet.be proximus.be
  online.no telia.com comhem.se bredband.net tele2.se spray.se mail.dk stofanet.dk elisanet.fi luukku.com suomi24.fi
  wp.pl o2.pl onet.pl onet.eu interia.pl op.pl poczta.fm tlen.pl gazeta.pl seznam.cz centrum.cz volny.cz atlas.cz azet.sk
  zoznam.sk centrum.sk freemail.hu citromail.hu abv.bg dir.bg mynet.com walla.co.il walla.com netvision.net.il
  comcast.net xfinity.com verizon.net att.net sbcglobal.net bellsouth.net charter.net cox.net earthlink.net frontier.com
  optonline.net roadrunner.com rr.com juno.com netzero.net windstream.net centurylink.net q.com ameritech.net pacbell.net
  rogers.com shaw.ca sympatico.ca telus.net videotron.ca bell.net bigpond.com bigpond.net.au optusnet.com.au tpg.com.au
  iinet.net.au xtra.co.nz uol.com.br bol.com.br terra.com.br ig.com.br globo.com oi.com.br r7.com
  rediff.com indiatimes.com sify.com lycos.com excite.com hushmail.com runbox.com riseup.net disroot.org startmail.com
  usa.com email.com consultant.com engineer.com europe.com post.com myself.com dr.com asia.com writeme.com techie.com
  10minutemail.com tempmail.com temp-mail.org guerrillamail.info sharklasers.com trashmail.com trashmail.de getnada.com
  dispostable.com maildrop.cc mailnesia.com mintemail.com moakt.com mohmal.com spamgourmet.com throwawaymail.com
  simplelogin.com simplelogin.co anonaddy.com anonaddy.me addy.io mozmail.com relay.firefox.com
`;

const wordsOf = (text: string): Set<string> => new Set(text.split(/\s+/).filter(Boolean));
const publicNames = wordsOf(names);
const publicDomains = wordsOf(domains);

/** A country's domain, or a general one: `yahoo.co.uk` and `hotmail.fr`, but not `mail.acme.com`. */
const ofProvider = /^([a-z0-9-]+)\.(?:com|net|org|(?:co|com)\.[a-z]{2}|[a-z]{2})$/;

/**
 * Whether one organization controls every address of this domain (in lower case). False for a public mail provider,
 * and for a public suffix such as `co.uk` or `github.io`, beneath which others have their domains.
 */
export function isOrganizationDomain(domain: string): boolean {
  if (!isDomain(domain) || organizationalDomainOf(domain) === null || publicDomains.has(domain)) return false;
  return !publicNames.has(ofProvider.exec(domain)?.[1] ?? '');
}
