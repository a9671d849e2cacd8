import type { ParsedOptions } from "../../shell/options.ts";
import { hasUnknown, knownPrefix, knownText, type Piece, type Value } from "../../shell/value.ts";
import type { CommandEffect } from "../effects.ts";
import { lookUp } from "../look-up.ts";
import { wordSet, words } from "../words.ts";
import { type Call, type Model, readOptions } from "./call.ts";
import { type Listing, listedArguments, listingBehind } from "./lists.ts";

/** Programs that look at names, sizes and rights, never at content; or that only use words as text. */
const NOT_READING = wordSet(`
  ls dir exa eza lsd tree test [ [[ stat file realpath readlink basename dirname pwd cd pushd popd mkdir touch echo printf
  logger true false : which whereis type command du df find fd fdfind locate export declare local readonly typeset set unset
  alias unalias env printenv ssh-add dotenv dotenvx dotenv-cli direnv source . exit return read wait kill sleep date seq
  make just task gradle mvn cargo go npm yarn pnpm bun npx brew apt apt-get pip pip3 poetry uv docker docker-compose podman
  kubectl helm terraform tofu open xdg-open man info help notify-send say amplihack guard trap shift eval exec git gh
  ssh-keygen ssh-copy-id ssh scp rsync curl wget chmod chown chgrp rm rmdir mv cp ln tee truncate shred sudo doas time nohup
  parallel timeout watch id whoami hostname uname umask chattr lsattr getfacl md5sum sha1sum sha256sum sha512sum
  cksum sum b2sum shasum wc cmp git-crypt sops ansible-vault mkcert certbot openssl keytool node deno tsx ts-node python
  python3 ruby perl php bash sh zsh dash ksh fish
`);

/** Their first operand is a pattern or a program, unless an option gave it. */
const FIRST_IS_TEXT: Readonly<Record<string, string>> = {
  grep: "e f regexp file",
  egrep: "e f regexp file",
  fgrep: "e f regexp file",
  zgrep: "e f",
  rg: "e f regexp file",
  ag: "",
  ack: "",
  awk: "f file",
  gawk: "f file",
  mawk: "f file",
  jq: "f from-file",
  yq: "f from-file",
  xq: "",
};

const VALUE_OPTIONS: Readonly<Record<string, string>> = {
  grep: "e regexp f file m max-count A B C D d include exclude exclude-dir exclude-from color label",
  egrep: "e regexp f file m A B C include exclude exclude-dir",
  fgrep: "e regexp f file m A B C include exclude exclude-dir",
  rg: "e regexp f file g glob iglob t type T type-not A B C m max-count r replace M j max-depth sort color context",
  awk: "f file F v field-separator assign",
  gawk: "f file F v field-separator assign",
  jq: "f from-file L indent",
  head: "n c lines bytes",
  tail: "n c lines bytes",
  cut: "d f c b delimiter fields output-delimiter",
  sort: "k t o T S key field-separator output",
  sed: "e f",
  xxd: "l s c g o",
  od: "A t N j w",
  hexdump: "n s e f",
  column: "s o c N",
  split: "b l n a",
  less: "p P t",
  bat: "l language r line-range style theme H",
};

const FLAG_ARGUMENTS = /^(jq|yq)$/;

/** Content of the operands is shown, searched or handed on. Unknown programs count as readers of what they are given. */
export const readFiles: Model = call => {
  if (call.program === "xargs") {
    const options = readOptions(call, { values: "-aILnPsdE arg-file", stopsAtOperand: true });
    return directReads(call, options.valuesOf("a", "arg-file"));
  }
  if (NOT_READING.has(call.program)) return [];
  const values = lookUp(VALUE_OPTIONS, call.program);
  const options = readOptions(call, {
    values: values ?? "",
    abbreviates: false,
    ...(values === undefined ? { unknownTakesValue: true } : {}),
  });
  if (options.has("help", "version") || (isGrep(call.program) && showsNothing(options))) return [];
  const textOptions = lookUp(FIRST_IS_TEXT, call.program);
  const operands = options.operands.map(operand => operand.value);
  const hasText = textOptions !== undefined && !(textOptions !== "" && options.has(...words(textOptions)));
  const files = hasText ? operands.slice(1) : operands;
  if (FLAG_ARGUMENTS.test(call.program) && options.has("arg", "args", "argjson"))
    return reads(call, files.slice(-1));
  const patternFiles = textOptions === undefined ? [] : options.valuesOf("f", "file", "from-file");
  return reads(call, [...files, ...patternFiles]);
};

const FILE_LIMIT = 64;

function isGrep(program: string): boolean {
  return /^([efz]?grep|rg|ag|ack)$/.test(program);
}

/** Only whether, where or how often: no content. */
function showsNothing(options: ParsedOptions): boolean {
  return options.has(
    "q",
    "quiet",
    "silent",
    "c",
    "count",
    "l",
    "files-with-matches",
    "L",
    "files-without-match",
  );
}

function reads(call: Call, files: readonly Value[]): readonly CommandEffect[] {
  return [
    ...files.flatMap(value => namedBySearch(call, value)),
    ...listedFiles(call),
    ...directReads(call, files),
  ];
}

/** A result of a search is known by the name that was searched for. */
function namedBySearch(call: Call, value: Value): readonly CommandEffect[] {
  const listing = hasUnknown(value) ? listingBehind(call, value) : undefined;
  return foundPaths(listing).map(path => ({ kind: "read", by: call.by, path, isCopy: false }));
}

function listedFiles(call: Call): readonly CommandEffect[] {
  const listing = call.invocation.isOpenEnded ? listedArguments(call) : undefined;
  if (listing === undefined || listing === "unknown") return [];
  return foundPaths(listing).map(path => ({ kind: "read", by: call.by, path, isCopy: false }));
}

/** The names that were searched for; without any, the places that were searched. */
function foundPaths(listing: Listing | undefined): readonly Value[] {
  if (listing === undefined) return [];
  return listing.names.length === 0 ? listing.starts : listing.names.map(patternValue);
}

function patternValue(name: string): Value {
  return {
    pieces: [/[*?[]/.test(name) ? patternPieces(name) : [{ kind: "text" as const, text: name }]].flat(),
    origins: [],
  };
}

/** Plain characters in front stay plain, so that a leading dot is seen. */
function patternPieces(name: string): Piece[] {
  const start = name.search(/[*?[]/);
  const front: Piece[] = start > 0 ? [{ kind: "text", text: name.slice(0, start) }] : [];
  return [...front, { kind: "glob", pattern: name.slice(start) }];
}

function directReads(call: Call, files: readonly Value[]): readonly CommandEffect[] {
  return files
    .filter(
      value =>
        value.pieces.length > 0 &&
        !/^[a-z][a-z0-9+.-]*:\/\//i.test(knownPrefix(value)) &&
        !/\s/.test(knownText(value)?.trim() ?? ""),
    )
    .slice(0, FILE_LIMIT)
    .map(path => ({ kind: "read", by: call.by, path, isCopy: false }));
}
