import { decodeBase32, decodeBase64, decodeHex, decodeUtf8 } from "../../shell/decode.ts";
import { type OptionGrammar, parseOptions } from "../../shell/options.ts";
import {
  knownText,
  text,
  uniteOrigins,
  unknown,
  type Value,
  withOrigins,
  wordAt,
} from "../../shell/value.ts";
import { type Model, type ProgramCall, programName } from "../../shell/walk/call.ts";
import { unknownOutput } from "../../shell/walk/code-runs.ts";
import type { Output } from "../../shell/walk/output.ts";
import { inputOf } from "./files.ts";

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

/** Encoding is no hiding place: the result is opaque, but where it came from is kept. */
function encode(inputs: Output, call: ProgramCall): Output {
  return [unknownOutput(call, [{ pieces: [], origins: uniteOrigins(inputs.map(input => input.origins)) }])];
}

function fromBytes(bytes: Uint8Array | undefined): string | undefined {
  return bytes === undefined ? undefined : decodeUtf8(bytes);
}

const BASE: OptionGrammar = {
  flags: "-i d|D|decode ignore-garbage base64 base32 base16 base64url",
  values: "-wbo wrap break input output",
};

function baseModel(decode: (encoded: string) => Uint8Array | undefined): Model {
  return call => {
    const parsed = parseOptions(call.argv, BASE);
    const files = [
      ...parsed.valuesOf("input"),
      ...(parsed.has("d") ? parsed.valuesOf("i") : []),
      ...parsed.operands.map(operand => operand.value),
    ];
    const inputs = inputOf(call, files);
    if (!parsed.has("d")) return encode(inputs, call);
    const clean = (encoded: string) =>
      parsed.has("i", "ignore-garbage") ? encoded.replace(/[^A-Za-z0-9+/_=-]/g, "") : encoded;
    return decodeWith(inputs, encoded => fromBytes(decode(clean(encoded))), call);
  };
}

const xxd: Model = call => {
  const parsed = parseOptions(call.argv, {
    flags: "-abeiuEC r|revert p|ps|plain",
    values: "-cglson",

    abbreviates: false,
  });
  const isPlain = parsed.has("p") || call.argv.some(word => knownText(word) === "-ps");
  const inputs = inputOf(
    call,
    parsed.operands.slice(0, 1).map(operand => operand.value),
  );
  if (!parsed.has("r")) return encode(inputs, call);
  return decodeWith(
    inputs,
    encoded => fromBytes(decodeHex(isPlain ? encoded.replace(/[^0-9a-fA-F]/g, "") : dumpDigits(encoded))),
    call,
  );
};

/** The hexadecimal column of a dump: `00000000: 726d 202d  rm -`. */
function dumpDigits(dump: string): string {
  return dump
    .split("\n")
    .map(line => /^[0-9a-fA-F]+:\s*((?:[0-9a-fA-F]{2,4} ?)+)/.exec(line)?.[1] ?? "")
    .join("")
    .replaceAll(" ", "");
}

const openssl: Model = call => {
  const parsed = parseOptions(
    call.argv,
    {
      isSingleDash: true,
      flags: "-deaA base64 nosalt salt pbkdf2 out in",
      values: "-kKS in out pass iv md",
    },
    2,
  );
  const subcommand = knownText(wordAt(call.argv, 1));
  const files = parsed.valuesOf("in");
  if (subcommand === "s_client")
    return [withOrigins(unknownOutput(call), [{ kind: "network", invocation: call.id }])];
  const isBase64 =
    subcommand === "base64" ||
    (subcommand === "enc" &&
      parsed.has("a", "base64") &&
      !parsed.options.some(option => !option.isInGrammar));
  if (
    !parsed.has("d") ||
    (subcommand !== "enc" &&
      subcommand !== "base64" &&
      !/^(?:aes|des|camellia|chacha|rc)/.test(subcommand ?? ""))
  ) {
    return [unknownOutput(call)];
  }
  return decodeWith(
    inputOf(call, files),
    encoded => (isBase64 ? fromBytes(decodeBase64(encoded)) : undefined),
    call,
  );
};

/** Compressed or encrypted: the result cannot be computed here. */
const opaque: Model = call => {
  const parsed = parseOptions(call.argv, {
    flags: "-cdfklnqrtvzZjJ019 decompress stdout decrypt batch",
    values: "-STo output passphrase",
  });
  const name = programName(wordAt(call.argv, 0)) ?? "";
  const isDecoding = /cat$|^[gb]?un|^uudecode$/.test(name) || parsed.has("d", "decompress", "decrypt");
  const inputs = inputOf(
    call,
    parsed.operands.map(operand => operand.value),
  );
  return isDecoding ? decodeWith(inputs, () => undefined, call) : encode(inputs, call);
};

const reverse: Model = call => {
  const files = parseOptions(call.argv, {}).operands.map(operand => operand.value);
  return decodeWith(
    inputOf(call, files),
    content =>
      content
        .split("\n")
        .map(line => Array.from(line).reverse().join(""))
        .join("\n"),
    call,
  );
};

/** Filters that can spell words anew: of literal text the result counts as decoded, of other text it does not. */
export function filterLiteral(
  inputs: Output,
  change: (content: string) => string | undefined,
  call: ProgramCall,
): Output {
  return inputs.map(input => {
    const known = knownText(input);
    if (known === undefined) return unknownOutput(call, [input]);
    const [result = unknownOutput(call)] = decodeWith([input], change, call);
    return isSame(result, known) ? input : result;
  });
}

function isSame(value: Value, content: string): boolean {
  return knownText(value) === content;
}

const hexdump: Model = call => encode(inputOf(call, []), call);

export const decoderModels: readonly (readonly [string, Model])[] = [
  ["base64", baseModel(decodeBase64)],
  ["gbase64", baseModel(decodeBase64)],
  ["basenc", baseModel(decodeBase64)],
  ["base32", baseModel(decodeBase32)],
  ["xxd", xxd],
  ["openssl", openssl],
  ["rev", reverse],
  ["od", hexdump],
  ["hexdump", hexdump],
  ...[
    "gunzip",
    "zcat",
    "gzcat",
    "gzip",
    "bunzip2",
    "bzcat",
    "bzip2",
    "unxz",
    "xzcat",
    "xz",
    "zstd",
    "unzstd",
    "zstdcat",
    "lz4",
    "unlz4",
    "uncompress",
    "brotli",
    "gpg",
    "gpg2",
    "age",
    "uudecode",
    "pigz",
    "unpigz",
  ].map(name => [name, opaque] as const),
];
