import {
  decodeBase32,
  decodeBase64,
  decodeHex,
  decodeUtf8,
  describe,
  knownText,
  type OptionGrammar,
  type Output,
  type ProgramCall,
  type ProgramEffect,
  text,
  uniteOrigins,
  unknown,
  unknownOutput,
  withOrigins,
  wordAt,
} from "../../shell/index.ts";
import { listReads, sendStdin } from "../model/effects.ts";
import { type Field, type ParsedCall, type Program, program, withOperations } from "../model/program.ts";
import { fileInput } from "./file-access.ts";

const BASE_OPTIONS: OptionGrammar = {
  flags: "-i d|D|decode ignore-garbage base64 base32 base16 base64url help version",
  values: "-wbo wrap break input output",
};

const BASE_KNOWN = "d i ignore-garbage w wrap help version";

const PACK_OPTIONS: OptionGrammar = {
  flags: `-cfklnqrtvzZjJ019 d|decompress|decrypt stdout batch help version export-secret-keys export-secret-subkeys delete-secret-keys delete-secret-key delete-secret-and-public-key force
    keep quiet verbose fast best list test`,
  values: "-STo output passphrase",
};

/** Programs that encode, decode, pack and encrypt a stream. */
export const encoding: Field = {
  tellsChanges: true,
  programs: () => [
    program("base64 basenc", "decodes dangerous gnu", {
      options: BASE_OPTIONS,
      complete: { names: "base64", only: BASE_KNOWN },
      run: decodeBase(decodeBase64),
    }),
    program("base32", "decodes gnu", {
      options: BASE_OPTIONS,
      complete: { only: BASE_KNOWN },
      run: decodeBase(decodeBase32),
    }),
    program("xxd", "decodes", {
      options: { flags: "-abdeiuEChv r|revert p|ps|plain", values: "-cglsonR", abbreviates: false },
      complete: { fixed: "all", only: "a b d e i u E C h v c g l s o n" },
      effects: [{ read: "first" }, { write: "rest" }],
      run: runXxd,
    }),
    program("od", "gnu", {
      options: { flags: "-abcdfilosvx", values: "-AtNjw", abbreviates: false },
      complete: { only: "a b c d f i l o s v x A t N j" },
      run: encodeInput,
    }),
    program("hexdump", "", {
      options: { flags: "-bcCdovx", values: "-nsef", abbreviates: false },
      complete: { only: "b c C d o v x n s" },
      run: encodeInput,
    }),
    program("rev", "", { options: {}, complete: { only: "" }, run: reverseLines }),
    program("openssl", "readsNothing decodes socket dangerous changesMore usesFiles", {
      options: {
        flags: "d e a A base64 nosalt salt pbkdf2",
        values: "in out keyout k pass K iv S md",
        abbreviates: false,
        isSingleDash: true,
      },
      effects: effectsOfOpenssl,
      run: runOpenssl,
    }),
    {
      ...PACKER,
      names: "gzip gunzip zcat",
      is: ["unpacks"],
      complete: {
        only: "c d f k l n q t v 1 9 0 stdout force keep quiet verbose fast best list test help version",
        starts: "gzip",
      },
    },
    ...packers("gzcat bunzip2 bzcat bzip2 unxz xzcat xz zstd unzstd zstdcat lz4 uncompress", ["unpacks"]),
    ...withOperations(
      [
        ...packers("unlz4 brotli pigz unpigz", []),
        ...packers("gpg2 age rage", ["usesFiles"]),
        ...packers("gpg", ["decodes", "usesFiles"]),
        ...packers("uudecode", ["decodes"]),
      ],
      [
        "gpg gpg2: grant.access - | delete keys that nobody can make again | needs delete-secret-keys delete-secret-key delete-secret-and-public-key | safer gpg --list-secret-keys | stops gpg --delete-secret-keys web | passes gpg --list-secret-keys web",
        "gpg gpg2: sec.keychain - | export private keys | needs export-secret-keys export-secret-subkeys | stops gpg web --export-secret-keys | passes gpg web",
      ],
    ),
  ],
};

const PACKER = { options: PACK_OPTIONS, effects: effectsOfPacker, run: runPacker };

function packers(names: string, is: NonNullable<Program["is"]>): readonly Program[] {
  return [{ ...PACKER, names, is }];
}

/** Ends of packed files, and what they end in once unpacked. */
const UNPACKED: readonly (readonly [RegExp, string])[] = [
  [/\.(tgz|taz|tbz2?|txz|tlz|tzst|tlz4)$/i, ".tar"],
  [/\.(gz|z|bz2?|xz|zst|lz4|lzma|br)$|[-_]z$|-gz$/i, ""],
];
const SUFFIX: Readonly<Record<string, string>> = {
  gzip: ".gz",
  pigz: ".gz",
  bzip2: ".bz2",
  xz: ".xz",
  zstd: ".zst",
  lz4: ".lz4",
  brotli: ".br",
};
/** Where a name has no end that they know: these try it with one, bzip2 makes a file of its own. */
const TRIED: Readonly<Record<string, readonly string[]>> = { z: [".gz", ".z", "-z", ".Z"], bz: [".out"] };

/** Names of the files that come and go with one that is packed or unpacked. */
function packedNames(path: string, { program, options }: ParsedCall): readonly string[] {
  const [end, instead] = UNPACKED.find(([pattern]) => pattern.test(path)) ?? [];
  const isUnpacking = /un/.test(program) || options.has("d", "decompress", "uncompress");
  const unpacked = end === undefined ? [] : [path.replace(end, instead ?? "")];
  if (!isUnpacking) return [...unpacked, path + (options.valuesOf("S")[0] ?? SUFFIX[program] ?? "")];
  return unpacked.length > 0
    ? unpacked
    : (TRIED[/bz|bunz/.test(program) ? "bz" : "z"] ?? []).map(each => path + each);
}

/** A file takes the place of the packed or unpacked one, unless all goes to the output. */
function effectsOfPacker(call: ParsedCall): readonly ProgramEffect[] {
  const { options, operands, program } = call;
  const reads = listReads(undefined, call);
  if (/cat$/.test(program) || options.has("c", "stdout", "t", "l", "help", "version")) return reads;
  const isTree = options.has("r");
  const beside = (path: string) => packedNames(path, call);
  return [
    ...reads,
    ...operands.flatMap((path): readonly ProgramEffect[] => [
      { kind: "alter", path, isTree },
      { kind: "alter", path, beside },
    ]),
    ...options.valuesOf("o", "output").map(path => ({ kind: "alter" as const, path })),
  ];
}

/** The decoded text when it can be computed, else unknown; either way it is known to be decoded. */
function decodeWith(
  inputs: Output,
  decode: (encoded: string) => string | undefined,
  call: ProgramCall,
): Output {
  return inputs.map(input => {
    const known = knownText(input);
    const decoded = known === undefined ? undefined : decode(known);
    const value =
      decoded === undefined ? unknown("any", "decoded text", input.origins) : text(decoded, input.origins);
    call.scope.session.budget.take(Math.ceil((known?.length ?? 0) / 32));
    return withOrigins(value, [{ kind: "decoded", invocation: call.id }]);
  });
}

/** Filters that can spell words anew: of literal text the result counts as decoded, of other text it does not. */
export function computeLiteral(
  inputs: Output,
  change: (content: string) => string | undefined,
  call: ProgramCall,
): Output {
  return inputs.map(input => {
    const known = knownText(input);
    if (known === undefined) return unknownOutput(call, [input]);
    const [result = unknownOutput(call)] = decodeWith([input], change, call);
    return knownText(result) === known ? input : result;
  });
}

/** Encoding is no hiding place: the result is opaque, but where it came from is kept. */
function encode(inputs: Output, call: ProgramCall): Output {
  return [unknownOutput(call, [{ pieces: [], origins: uniteOrigins(inputs.map(input => input.origins)) }])];
}

function encodeInput(call: ParsedCall): Output {
  return encode(fileInput(call, []), call);
}

function fromBytes(bytes: Uint8Array | undefined): string | undefined {
  return bytes === undefined ? undefined : decodeUtf8(bytes);
}

function decodeBase(decode: (encoded: string) => Uint8Array | undefined): (call: ParsedCall) => Output {
  return call => {
    const { options } = call;
    const isDecoding = options.has("d");
    const named = options.valuesOf("input", ...(isDecoding ? ["i"] : []));
    const inputs = fileInput(call, [...named, ...call.operands]);
    if (!isDecoding) return encode(inputs, call);
    const clean = (encoded: string) =>
      options.has("i", "ignore-garbage") ? encoded.replace(/[^A-Za-z0-9+/_=-]/g, "") : encoded;
    return decodeWith(inputs, encoded => fromBytes(decode(clean(encoded))), call);
  };
}

function runXxd(call: ParsedCall): Output {
  const { options } = call;
  const isPlain = options.has("p") || call.argv.some(word => knownText(word) === "-ps");
  const inputs = fileInput(call, call.operands.slice(0, 1));
  if (!options.has("r")) return encode(inputs, call);
  return decodeWith(
    inputs,
    encoded => fromBytes(decodeHex(isPlain ? encoded.replace(/[^0-9a-fA-F]/g, "") : dumpDigits(encoded))),
    call,
  );
}

/** The hexadecimal column of a dump: `00000000: 726d 202d  rm -`. */
function dumpDigits(dump: string): string {
  return dump
    .split("\n")
    .map(line => /^[0-9a-fA-F]+:\s*((?:[0-9a-fA-F]{2,4} ?)+)/.exec(line)?.[1] ?? "")
    .join("")
    .replaceAll(" ", "");
}

function reverseLines(call: ParsedCall): Output {
  return decodeWith(
    fileInput(call, call.operands),
    content =>
      content
        .split("\n")
        .map(line => Array.from(line).reverse().join(""))
        .join("\n"),
    call,
  );
}

/** Compressed or encrypted: the result cannot be computed here. */
function runPacker(call: ParsedCall): Output {
  const isDecoding = /cat$|^[gb]?un|^uudecode$/.test(call.program) || call.options.has("d");
  const inputs = fileInput(call, call.operands);
  return isDecoding ? decodeWith(inputs, () => undefined, call) : encode(inputs, call);
}

function runOpenssl(call: ParsedCall): Output {
  const { options } = call;
  const subcommand = knownText(wordAt(call.argv, 1)) ?? "";
  if (subcommand === "s_client")
    return [withOrigins(unknownOutput(call), [{ kind: "network", invocation: call.id }])];
  const isDecoding = /^(?:enc|base64|(?:aes|des|camellia|chacha|rc).*)$/.test(subcommand) && options.has("d");
  if (!isDecoding) return [unknownOutput(call)];
  const isBase64 =
    subcommand === "base64" ||
    (subcommand === "enc" &&
      options.has("a", "base64") &&
      !options.options.some(option => !option.isInGrammar));
  return decodeWith(
    fileInput(call, options.valuesOf("in")),
    encoded => (isBase64 ? fromBytes(decodeBase64(encoded)) : undefined),
    call,
  );
}

/** `-out FILE`, `-keyout FILE`: new files are no loss, old ones are. `s_client … < FILE` sends it. */
function effectsOfOpenssl(call: ParsedCall): readonly ProgramEffect[] {
  const { options, argv } = call;
  const subcommand = describe(wordAt(argv, 1));
  const isPublic = /^(x509|req|verify|dgst|s_client)$/.test(subcommand);
  const isShown = options.has("text") || !options.has("noout", "pubout", "check", "verify");
  return [
    ...options.valuesOf("out", "keyout").map((path): ProgramEffect => ({ kind: "write", path, how: "make" })),
    ...(isPublic || !isShown ? [] : options.valuesOf("in")).map(
      (path): ProgramEffect => ({ kind: "read", path, isCopy: false }),
    ),
    ...(subcommand === "s_client" ? sendStdin(call, argv.slice(1)) : []),
  ];
}
