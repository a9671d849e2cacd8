import {
  assign,
  baseName,
  concatenate,
  decodeEscapes,
  describe,
  directoryName,
  type EscapeStyle,
  findEnvironmentValue,
  hasGlob,
  joinPath,
  joinValues,
  knownPrefix,
  knownText,
  lastComponent,
  NO_OUTPUT,
  type Output,
  type Piece,
  type ProgramCall,
  type ProgramEffect,
  printPaths,
  runSubscript,
  scalar,
  takeNumber,
  text,
  unknown,
  unknownOutput,
  type Value,
  withOrigins,
  wordAt,
} from "../../shell/index.ts";
import { quoteWord } from "../../system/index.ts";
import { plainReads } from "../model/effects.ts";
import { type Field, type ParsedCall, program } from "../model/program.ts";
import { shownFacts } from "./shown-facts.ts";

/** Escapes that hide letters make the text a decoded one; `\n` and `\t` do not. */
const HIDING = /\\(?:x[0-9a-fA-F]|[0-7]{2}|[uU][0-9a-fA-F])/;

function echo(call: ProgramCall): Output {
  let index = 1;
  let hasEscapes = false;
  let hasNewline = true;
  for (; index < call.argv.length; index += 1) {
    const option = /^-([neE]+)$/.exec(knownText(wordAt(call.argv, index)) ?? "");
    if (option === null) break;
    if (option[1]?.includes("n")) hasNewline = false;
    if (/(?<![^E])(?=[^Ee]*e)[^E]*$/.test(option[1] ?? "")) hasEscapes = true;
  }
  const joined = joinValues(call.argv.slice(index), " ");
  const { value, isCut } = hasEscapes ? unescapeValue(joined, "echo", call) : { value: joined, isCut: false };
  return [hasNewline && !isCut ? concatenate([value, text("\n")]) : value];
}

function unescapeValue(
  value: Value,
  style: EscapeStyle,
  call: ProgramCall,
): { readonly value: Value; readonly isCut: boolean } {
  let isCut = false;
  let isHidden = false;
  const pieces = value.pieces.flatMap((piece): readonly Piece[] => {
    if (isCut) return [];
    if (piece.kind !== "text") return [piece];
    isHidden ||= HIDING.test(piece.text);
    const decoded = decodeEscapes(piece.text, style);
    isCut = decoded.isCut;
    return decoded.text === "" ? [] : [{ kind: "text", text: decoded.text }];
  });
  const decoded = { pieces, origins: value.origins };
  return {
    value: isHidden ? withOrigins(decoded, [{ kind: "decoded", invocation: call.id }]) : decoded,
    isCut,
  };
}

function printf(call: ProgramCall): Output {
  const isVariable = knownText(wordAt(call.argv, 1)) === "-v";
  const start = isVariable ? 3 : knownText(wordAt(call.argv, 1)) === "--" ? 2 : 1;
  const format = call.argv[start];
  if (format === undefined) return NO_OUTPUT;
  const result = formatAll(format, call.argv.slice(start + 1), call);
  if (!isVariable) return [result];
  runSubscript(wordAt(call.argv, 2), call.scope);
  const name = knownText(wordAt(call.argv, 2));
  if (name !== undefined && /^[A-Za-z_]\w*$/.test(name)) assign(name, [scalar(result)], call.scope);
  return NO_OUTPUT;
}

/** The format is used again until no argument is left. */
function formatAll(format: Value, values: readonly Value[], call: ProgramCall): Value {
  const known = knownText(format);
  if (known === undefined) return unknownOutput(call, values);
  const directives = known.split(
    /(%(?:%|[-+ #0]*(?:\*|[1-9]\d*)?(?:\.(?:\*|\d+)?)?(?:\([^)]*\)T|[A-Za-z])))/,
  );
  const parts: Value[] = [];
  let next = 0;
  do {
    const before = next;
    for (const directive of directives) {
      if (directive === "%%") parts.push(text("%"));
      else if (/^%.*[A-Za-z]$/s.test(directive) && directive.length > 1) {
        parts.push(formatOne(directive, values[next], call));
        next += 1;
      } else parts.push(unescapeValue(text(directive), "printf", call).value);
    }
    if (next === before || parts.length > 512) break;
  } while (next < values.length);
  return concatenate(parts);
}

function formatOne(directive: string, value: Value | undefined, call: ProgramCall): Value {
  const kind = directive.at(-1);
  if (value === undefined) return text("diouxXeEfgG".includes(kind ?? "") ? "0" : "");
  const known = knownText(value);
  switch (kind) {
    case "b": {
      const unescaped = unescapeValue(value, "percent-b", call);
      // `\c` ends all output, what follows included.
      return unescaped.isCut ? unknown("any", "%b", value.origins) : unescaped.value;
    }
    case "q":
      return known === undefined ? value : text(quoteWord(known), value.origins);
    case "c":
      return known === undefined ? value : text(known.slice(0, 1), value.origins);
    case "d":
    case "i":
    case "u":
      return known === undefined
        ? value
        : text(pad(signed(toNumber(known), directive), directive), value.origins);
    case "x":
    case "X":
    case "o": {
      if (known === undefined) return value;
      const digits = toNumber(known).toString(kind === "o" ? 8 : 16);
      return text(pad(kind === "X" ? digits.toUpperCase() : digits, directive), value.origins);
    }
    default:
      return clip(value, directive);
  }
}

/** `%.3s` cuts, `%5s` fills with blanks. */
function clip(value: Value, directive: string): Value {
  const precision = /\.(\d+)/.exec(directive)?.[1];
  const known = knownText(value);
  if (known === undefined) return value;
  return text(
    pad(precision === undefined ? known : known.slice(0, Number(precision)), directive),
    value.origins,
  );
}

function pad(content: string, directive: string): string {
  const [, flags = "", width = "0"] = /^%([-+ #0]*)(\d*)/.exec(directive) ?? [];
  const length = Math.min(Number(width), 256);
  if (flags.includes("-")) return content.padEnd(length);
  return content.padStart(length, flags.includes("0") && /[diuxXo]$/.test(directive) ? "0" : " ");
}

function signed(number: number, directive: string): string {
  const sign = /^%[-0#]*([+ ])/.exec(directive)?.[1];
  return number < 0 || sign === undefined ? String(number) : `${sign}${number}`;
}

function toNumber(written: string): number {
  if (/^["']./.test(written)) return written.codePointAt(1) ?? 0;
  const number = Number(/^0[0-7]+$/.test(written) ? Number.parseInt(written, 8) : written);
  return Number.isSafeInteger(number) ? number : 0;
}

/** Programs that print their words. */
export const print: Field = {
  tellsChanges: true,
  programs: () => [
    program("echo print", "readsNothing seldomFails prints gnu", {
      run: echo,
      harmless: { reads: "*", names: "echo" },
    }),
    program("printf", "readsNothing seldomFails prints gnu", { run: printf }),
  ],
};

/** Programs whose output is a path or a short word, as far as it can be told without running them. */
export const paths: Field = {
  tellsChanges: true,
  // biome-ignore lint/complexity/noExcessiveLinesPerFunction: a table, a record a program
  programs: () => [
    program("pwd", "readsNothing gnu", {
      options: { flags: "-LP logical physical help version" },
      complete: true,
      run: call => line(call.cwd),
      harmless: { reads: "*" },
    }),
    program("dirname", "readsNothing gnu", {
      options: { flags: "z|zero help version" },
      complete: true,
      run: call => lines(call.operands.map(value => changeText(value, directoryName, call))),
    }),
    program("basename", "readsNothing gnu", {
      options: { flags: "a|multiple z|zero help version", values: "s|suffix" },
      complete: true,
      run: baseNames,
    }),
    program("realpath", "readsNothing gnu", {
      options: {
        flags:
          "-eLmPqsz canonicalize-existing canonicalize-missing logical physical quiet strip no-symlinks zero help version",
        values: "relative-to relative-base",
      },
      complete: true,
      run: call =>
        call.options.has("relative-to", "relative-base") ? [unknownOutput(call)] : absolutePaths(call),
    }),
    program("readlink", "readsNothing gnu", {
      options: {
        flags: `n|no-newline q|quiet s|silent v|verbose z|zero f|canonicalize e|canonicalize-existing
          m|canonicalize-missing help version`,
      },
      complete: true,
      run: call => (call.options.has("f", "e", "m") ? absolutePaths(call) : [unknownOutput(call)]),
    }),
    program("which type whence", "readsNothing", {
      harmless: { reads: "*", names: "which" },
      options: { flags: "-asvpVPtf" },
      complete: { names: "which type" },
      run: call => printPaths(call.options),
    }),
    program("mktemp", "readsNothing gnu", {
      options: {
        flags: "-dutq directory dry-run quiet help version",
        values: "-p suffix",
        optional: "tmpdir=p",
      },
      complete: { only: "d directory q quiet suffix p help version" },
      effects: madeTemporary,
      run: makeTemporary,
    }),
    program("date", "readsNothing gnu", {
      options: {
        flags: "-Ru rfc-email utc universal debug resolution help version",
        values: "-dsfr date set file reference rfc-3339",
        optional: "I|iso-8601",
      },
      complete: {
        except: "s set f file",
        gap: ({ operands }) =>
          operands.some(word => !knownPrefix(word).startsWith("+"))
            ? { kind: "option", what: "date", why: "a word may set the clock" }
            : undefined,
      },
      run: printDate,
      harmless: { reads: "*" },
    }),
    program("whoami logname", "readsNothing gnu", {
      options: { flags: "help version" },
      complete: true,
      run: printUser,
      harmless: { reads: "*", names: "whoami" },
    }),
    program("seq", "readsNothing gnu", {
      options: {
        flags: "w|equal-width help version 0123456789",
        values: "f|format s|separator",
        abbreviates: false,
      },
      complete: true,
      run: countUp,
    }),
    program("wc", "readsNothing gnu", {
      options: {
        flags: "-cmlLw bytes chars lines max-line-length words help version",
        values: "files0-from total",
      },
      complete: { except: "files0-from" },
      run: token,
      harmless: { reads: "*" },
    }),
    program("uname nproc id", "readsNothing gnu", {
      options: {
        flags: `-asnrvmpioguGzZ all kernel-name nodename kernel-release kernel-version machine processor
          hardware-platform operating-system group groups name real user zero context help version`,
        values: "ignore",
      },
      complete: true,
      run: token,
      harmless: { reads: "*" },
    }),
    program("hostname", "readsNothing gnu", {
      options: { flags: "s|short help version", abbreviates: false },
      // The other names of a machine are asked of others.
      complete: {
        only: "s",
        gap: ({ operands }) =>
          operands.length === 0
            ? undefined
            : { kind: "program", what: "hostname", why: "a word sets the name of the machine" },
      },
      run: token,
      harmless: { reads: "*" },
    }),
    program("expr", "readsNothing gnu", {
      options: { flags: "help version", abbreviates: false },
      complete: true,
      run: token,
    }),
    program("cksum", "readsNothing gnu", {
      options: {
        flags:
          "z|zero tag untagged debug w|warn c|check ignore-missing quiet status strict base64 raw help version",
        values: "a|algorithm l|length",
        abbreviates: false,
      },
      complete: { except: "c check" },
      run: token,
    }),
    program("uuidgen getconf", "readsNothing gnu", { run: token }),
    program("getent", "readsNothing", {
      shows: "*",
      effects: ({ operands: [name] }) =>
        /^g?shadow$/.test(name === undefined ? "" : describe(name))
          ? [{ kind: "read", path: text("/etc/shadow"), isCopy: false }]
          : [],
    }),
    program("file", "readsNothing usesFiles", {
      options: {
        flags: `-bcCdEhiklLnNprsSvzZ0 brief checking-printout compile debug mime mime-type mime-encoding extension apple
          keep-going list dereference no-dereference no-buffer no-pad print0 preserve-date raw special-files
          uncompress uncompress-noreport no-sandbox help version`,
        values: "-efFmP exclude exclude-quiet files-from separator magic-file parameter",
        abbreviates: false,
      },
      complete: {
        only: "b brief i mime mime-type mime-encoding L dereference h no-dereference k keep-going N no-pad F separator help",
      },
      harmless: { reads: "*" },
    }),
    program(
      "dir exa eza lsd whereis locate wait test [ umask lsattr getfacl shasum notify-send say info help",
      "readsNothing",
    ),
    program("logger", "readsNothing", {
      options: { values: "-fnPptuTS f|file server port priority tag socket rfc5424 id" },
      effects: ({ options }) => plainReads(options.valuesOf("f")),
    }),
    // A picture of the screen: `screencapture -x a.png`.
    program("scrot maim grim screencapture xwd", "readsNothing", {
      options: { values: "-dDgislortTqqZw", abbreviates: false },
      effects: ({ operands }) =>
        operands.map((path): ProgramEffect => ({ kind: "write", path, how: "replace" })),
    }),
    ...shownFacts(),
    // Programs that only show something, and words of the shell that change no files.
    program(
      `diff3 sdiff colordiff delta pr ptx look
        cal ncal bc strings nm objdump readelf ldd size otool lipo pgrep pidof pstree top htop
        vmstat iostat mpstat lsof ss netstat lscpu lsblk lsusb lspci lsmod w who last lastlog finger
        locale dmesg pmap tput clear cowsay md5 xmllint cloc tokei scc hexyl glow mdcat exiftool
        identify ffprobe mediainfo traceroute mtr whois zipinfo jobs bg fg disown times ulimit hash getopts
        let compgen complete compopt shopt bind caller dirs history logout suspend enable mapfile
        readarray break continue [[ shellcheck yamllint hadolint actionlint check-jsonschema`,
      "",
    ),
    program("open xdg-open", "readsNothing changesMore usesFiles"),
  ],
};

function line(value: Value): Output {
  return [concatenate([value, text("\n")])];
}

function lines(values: readonly Value[]): Output {
  return [concatenate(values.flatMap(value => [value, text("\n")]))];
}

function token({ argv }: ParsedCall): Output {
  const shown = argv.slice(0, 2).map(word => knownText(word) ?? "…");
  return line(unknown("token", `$(${shown.join(" ")})`));
}

function absolutePaths(call: ParsedCall): Output {
  return lines(call.operands.map(value => joinPath(call.cwd, value)));
}

function changeText(value: Value, change: (path: string) => string, call: ParsedCall): Value {
  const known = knownText(value);
  return known === undefined ? unknownOutput(call, [value]) : text(change(known), value.origins);
}

function baseNames(call: ParsedCall): Output {
  const { options, operands } = call;
  const suffix = options.valueOf("s") ?? (options.has("a") ? undefined : operands[1]);
  const ending = suffix === undefined ? "" : (knownText(suffix) ?? "");
  const named = options.has("a", "s") ? operands : operands.slice(0, 1);
  const toName = (value: Value): Value =>
    suffix === undefined && hasGlob(value) && !value.pieces.some(({ kind }) => kind === "unknown")
      ? lastComponent(withoutSlash(value))
      : changeText(value, path => withoutSuffix(baseName(path), ending), call);
  return lines(named.map(toName));
}

function withoutSlash(value: Value): Value {
  const last = value.pieces.at(-1);
  return last?.kind === "text" && last.text === "/" ? { ...value, pieces: value.pieces.slice(0, -1) } : value;
}

function withoutSuffix(name: string, suffix: string): string {
  return suffix !== "" && name !== suffix && name.endsWith(suffix) ? name.slice(0, -suffix.length) : name;
}

function makeTemporary(call: ParsedCall): Output {
  const { options, scope } = call;
  const number = String(takeNumber(scope.session));
  const [template] = call.operands;
  const name = template === undefined ? text(`tmp.fresh${number}`) : fillTemplate(template, number);
  const isInTemp = template === undefined || options.has("p", "t");
  const folder = options.valueOf("p") ?? findEnvironmentValue(call, "TMPDIR") ?? text(scope.session.tmpdir);
  const path = joinPath(call.cwd, isInTemp ? concatenate([folder, text("/"), name]) : name);
  const known = knownText(path);
  if (known !== undefined)
    scope.state.files.set(known, { contents: [text("")], isDirectory: options.has("d", "directory") });
  return line(path);
}

/** A new name in a directory that is no temporary one; which, is not known before. */
function madeTemporary({ operands, options }: ParsedCall): readonly ProgramEffect[] {
  const [template] = operands;
  const directory =
    options.valueOf("p") ?? (template === undefined ? undefined : text(templateDirectory(template)));
  if (directory === undefined || options.has("t", "u")) return [];
  return [{ kind: "alter", path: concatenate([directory, text("/"), unknown("token", "XXXXXX")]) }];
}

function templateDirectory(template: Value): string {
  return directoryName(knownText(template) ?? ".");
}

function fillTemplate(template: Value, number: string): Value {
  const pieces = template.pieces.map(piece =>
    piece.kind === "text" ? { ...piece, text: piece.text.replace(/X{3,}/, `fresh${number}`) } : piece,
  );
  return { pieces, origins: template.origins };
}

function printDate({ argv }: ParsedCall): Output {
  const format = argv.map(word => knownText(word) ?? "/").find(word => word.startsWith("+")) ?? "";
  return line(unknown(PLAIN_DATE.test(format) ? "token" : "nonempty", "$(date)"));
}

/** Of digits, letters and what stands between them, without a blank. */
const PLAIN_DATE = /^\+(?:%[-0^#]?\d*[aAbBdFghHIjmMNpPqsSTuUVwWyYzZ]|[\w.:,+-])+$/;

function printUser({ scope }: ParsedCall): Output {
  const { user } = scope.session.context;
  return line(user === undefined ? unknown("token", "$(whoami)") : text(user));
}

function countUp(call: ParsedCall): Output {
  const words = call.argv.slice(1).map(word => knownText(word) ?? "x");
  const numbers = words.filter(word => word !== "-w").map(Number);
  const [first, second, third] = numbers;
  if (numbers.some(number => !Number.isInteger(number)) || first === undefined) return [unknownOutput(call)];
  const from = second === undefined ? 1 : first;
  const to = third ?? second ?? first;
  const step = third === undefined ? 1 : (second ?? 1);
  if (step === 0 || (to - from) / step > 256) return line(unknown("token", "$(seq)"));
  const items: string[] = [];
  for (let value = from; step > 0 ? value <= to : value >= to; value += step) items.push(String(value));
  return items.length === 0 ? [text("")] : [text(`${items.join("\n")}\n`)];
}

/** The root of the repository, found by its `.git`. */
export function repositoryRoot(call: ProgramCall): Value {
  const { context } = call.scope.session;
  const start = knownText(call.cwd);
  if (start !== undefined && context.files !== undefined) {
    for (let folder = start; ; folder = directoryName(folder)) {
      if (context.files.kind(`${folder === "/" ? "" : folder}/.git`) !== undefined) return text(folder);
      if (folder === "/" || folder === ".") break;
    }
  }
  const projectRoot = context.projectRoot?.();
  const isInside =
    projectRoot !== undefined && (start === projectRoot || start?.startsWith(`${projectRoot}/`) === true);
  return isInside ? text(projectRoot) : unknown("nonempty", "the repository root");
}
