import { describe, type OperationEffect, wordSet } from "../../shell/index.ts";
import { onlyTells } from "./operations.ts";
import type { ParsedCall } from "./program.ts";
import { MAX_COMMAND_WORDS } from "./unknown.ts";
import { nameParts, singular } from "./vocabulary.ts";

// Programs that keep secrets say by a word or an option that they show one.

const SHOWING = wordSet("show reveal print display expose unmask include with export dump no");
const SHOWN = wordSet("secret token password credential plaintext sensitive decryption masking mask");

const VALUES = wordSet("password passwd passphrase credential credentials");
const ASKS = wordSet("show get print reveal export dump decrypt view read display retrieve output");
const OPENS = wordSet("get show print reveal dump export view read download access cat");
const REVEALS = wordSet("reveal unmask decrypt expose");
const ABOUT = wordSet("policy helper list set reset rotate create generate check history manager store test");

/** `credentials:show`, `output db_password`, `connection-string`: the value of a secret is what is asked for. */
function asksForValue({ options }: ParsedCall): boolean {
  const command = options.operandValues.slice(0, MAX_COMMAND_WORDS).map(describe);
  const parts = command.filter(word => /^[A-Za-z][\w:-]*$/.test(word)).flatMap(nameParts);
  if (parts.some(part => ABOUT.has(part))) return false;
  const isString = parts.includes("connection") && parts.some(part => /^(?:string|uri|url)s?$/.test(part));
  const isExported =
    parts.includes("export") && parts.some(part => /^(?:connections?|credentials|tokens?)$/.test(part));
  const isDecrypted = parts.includes("decrypt") && parts.some(part => /^(?:env|secrets?|vault)$/.test(part));
  const isAsked = parts.some(part => ASKS.has(part)) && parts.some(part => VALUES.has(part));
  const isUnlocked = parts.includes("decrypt") && parts.some(part => /^(?:keystore|key|wallet)$/.test(part));
  const secretAt = parts.findIndex(part => /^secrets?$/.test(part));
  // `get secrets` is mostly a list of names, `secrets get x` is the value of one.
  const isRevealed =
    secretAt >= 0 &&
    (parts.slice(secretAt + 1).some(part => OPENS.has(part)) || parts.some(part => REVEALS.has(part)));
  return isString || isExported || isDecrypted || isUnlocked || isAsked || isRevealed;
}

/** `--show-secrets`, `--reveal`, `--no-mask`: what a program hides by itself is asked for. */
export function shownSecrets(program: string, call: ParsedCall): readonly OperationEffect[] {
  const isShown = call.argv.slice(1).some(word => {
    const shown = describe(word);
    const name = shown.startsWith("-") ? /^--?([a-z][\w-]+)$/i.exec(shown)?.[1] : undefined;
    if (name === undefined) return false;
    const parts = nameParts(name).map(singular);
    const [first = ""] = parts;
    if (parts.length === 1) return first === "reveal" || first === "unmask";
    const hides = first === "no" ? parts.some(part => /^mask/.test(part)) : true;
    const isKey = parts.includes("private") && parts.includes("key");
    return SHOWING.has(first) && hides && (isKey || parts.slice(1).some(part => SHOWN.has(part)));
  });
  if (!(isShown || asksForValue(call)) || onlyTells(call.options)) return [];
  const target = [program, ...call.argv.slice(1).map(describe)].join(" ");
  return [{ kind: "operation", rule: "sec.keychain", what: "show secrets", target, names: [] }];
}
