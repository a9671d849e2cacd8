/** Cyrillic, Greek and Armenian letters that are drawn like Latin ones. */
const LOOK_ALIKES = new Set([..."аеорсухіїјѕԁһԛԝѵёӏьѡАВЕКМНОРСТУХІЈЅοαρνικυωϳΑΒΕΖΗΙΚΜΝΟΡΤΥΧօոսցհ"]);
const OTHER_SCRIPT = /[\u0250-\u02af\u0370-\u03ff\u0400-\u052f\u0530-\u058f\u13a0-\u13ff\uff21-\uff5a]/;

/** A host name that only looks like the one it imitates, as it is shown or as it is sent (`xn--…`). */
export function hasMixedScripts(host: string): boolean {
  return host.split(".").some(written => {
    const label = /^xn--/i.test(written) ? decodePunycode(written.slice(4).toLowerCase()) : written;
    if (label === undefined || !OTHER_SCRIPT.test(label)) return false;
    if (/[A-Za-z]/.test(label)) return true;
    return [...label].every(character => LOOK_ALIKES.has(character) || /[0-9-]/.test(character));
  });
}

/** Whether a host in this text could be one that `hasMixedScripts` finds: no plain text is. */
export function mayMixScripts(text: string): boolean {
  return /[^\0-\x7f]|xn--/i.test(text);
}

const SCHEME = /^(?:[\w.-]+=)?[a-z][a-z0-9+.-]*:\/\/(?:[^@/\s]*@)?([^/:?#\s'"]+)/i;
const BARE = /^(?:[a-z0-9._-]+@)?((?:[^\s./:@=?#'"<>]+\.)+[^\s./:@=?#'"<>]{2,})(?=[:/?#@]|$)/iu;

/** The host that a word names: in an address, or where `isBare` with nothing in front of it. */
export function hostIn(word: string, isBare: boolean): string | undefined {
  const inAddress = word.includes("://") ? SCHEME.exec(word)?.[1] : undefined;
  return inAddress ?? (isBare ? BARE.exec(word)?.[1] : undefined);
}

const BASE = 36;
const MAX_TEXT = 0x10ffff;

/** RFC 3492; undefined for what is no encoded text. */
function decodePunycode(encoded: string): string | undefined {
  const dash = encoded.lastIndexOf("-");
  const points = [...encoded.slice(0, Math.max(dash, 0))].map(character => character.codePointAt(0) ?? 0);
  let code = 128;
  let at = 0;
  let bias = 72;
  for (let index = dash + 1; index < encoded.length; ) {
    const before = at;
    for (let weight = 1, step = BASE; ; step += BASE) {
      const digit = "abcdefghijklmnopqrstuvwxyz0123456789".indexOf(encoded.charAt(index++));
      if (digit < 0 || encoded.charAt(index - 1) === "") return undefined;
      at += digit * weight;
      const threshold = step <= bias ? 1 : Math.min(step - bias, 26);
      if (digit < threshold) break;
      weight *= BASE - threshold;
    }
    bias = adapt(at - before, points.length + 1, before === 0);
    code += Math.floor(at / (points.length + 1));
    at %= points.length + 1;
    if (code > MAX_TEXT) return undefined;
    points.splice(at++, 0, code);
  }
  return String.fromCodePoint(...points);
}

function adapt(difference: number, count: number, isFirst: boolean): number {
  let delta = Math.floor(difference / (isFirst ? 700 : 2));
  delta += Math.floor(delta / count);
  let step = 0;
  for (; delta > 455; step += BASE) delta = Math.floor(delta / 35);
  return step + Math.floor((36 * delta) / (delta + 38));
}
