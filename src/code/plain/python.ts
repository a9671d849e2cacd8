import { wordSet } from "../../shell/index.ts";

// Short programs of which everything is known: those that agents write to look into a file or to change one. A word that
// is not on these lists ends the reading, so that what is missing here costs a question and nothing else.

const KEYWORDS = wordSet(
  "import from as for in if elif else while with def return lambda try except finally not and or is None True False pass break continue raise assert del",
);
/** Functions that compute, print, or call what they are given, which is plain as well. */
const BUILTIN_WORDS = `
  print len range sorted enumerate str int float bool list dict set tuple frozenset zip map filter any all min max sum abs
  round isinstance issubclass repr reversed bytes bytearray chr ord hex bin oct next iter hash divmod pow slice exit quit
  type callable Exception ValueError KeyError IndexError TypeError OSError IOError FileNotFoundError AssertionError
  RuntimeError StopIteration SystemExit KeyboardInterrupt UnicodeDecodeError NotImplementedError AttributeError
  ZeroDivisionError PermissionError
`;
const BUILTINS = wordSet(BUILTIN_WORDS);
/** Methods that compute, whatever object of a plain program has them, and those of a file that is open already. */
const METHOD_WORDS = `
  split rsplit splitlines join strip lstrip rstrip lower upper title capitalize startswith endswith find rfind index rindex
  count zfill ljust rjust center encode decode isdigit isalpha isalnum isspace isupper islower isidentifier isnumeric
  partition rpartition removeprefix removesuffix casefold swapcase expandtabs translate append extend insert pop sort
  reverse clear get items keys values update setdefault add discard union intersection difference most_common elements
  group groups groupdict start end span string pos lastindex sub subn search match fullmatch findall finditer pattern
  read readline readlines write writelines close seek tell flush closed exists is_file is_dir name stem suffix suffixes
  parent parts as_posix isoformat strftime total_seconds days seconds year month day hour minute date time now today
  fromisoformat hexdigest digest writerow writerows writeheader fieldnames real imag bit_length from_iterable major minor
  micro args msg lineno colno doc errno strerror filename
`;
const METHODS = wordSet(METHOD_WORDS);
/** Modules of the standard library, and which of their members are plain. */
const MODULES: Readonly<Record<string, string>> = {
  json: "load loads dump dumps JSONDecodeError",
  re: "sub subn search match fullmatch findall finditer split compile escape error I M S X IGNORECASE MULTILINE DOTALL VERBOSE A ASCII",
  sys: "argv stdin stdout stderr exit version version_info maxsize platform byteorder",
  os: "path getcwd sep linesep listdir",
  "os.path":
    "exists isfile isdir islink join basename dirname splitext split abspath normpath relpath getsize getmtime commonpath",
  pathlib: "Path PurePath",
  collections: "Counter defaultdict OrderedDict deque namedtuple",
  math: "ceil floor sqrt log log2 log10 exp pi e inf nan isnan isinf gcd factorial pow sin cos tan atan atan2 hypot fabs prod",
  datetime: "datetime timedelta date time timezone",
  itertools:
    "chain groupby islice product permutations combinations count cycle zip_longest accumulate takewhile dropwhile repeat",
  functools: "reduce partial lru_cache",
  textwrap: "dedent indent wrap fill shorten",
  string: "ascii_letters ascii_lowercase ascii_uppercase digits punctuation whitespace hexdigits",
  csv: "reader writer DictReader DictWriter QUOTE_ALL QUOTE_MINIMAL",
  time: "time sleep strftime perf_counter monotonic",
  random: "random randint choice shuffle sample seed uniform",
  statistics: "mean median stdev mode",
  difflib: "unified_diff ndiff SequenceMatcher get_close_matches",
  hashlib: "md5 sha1 sha256 sha512",
  base64: "b64encode b64decode urlsafe_b64encode urlsafe_b64decode",
};
/** All that these modules load: a file of the project with such a name would take their place. */
const LOADED = wordSet(`
  __future__ _collections_abc _weakrefset abc ast base64 binascii bisect codecs collections contextlib copy copyreg csv
  dataclasses datetime decimal difflib dis encodings enum fnmatch fractions functools genericpath glob hashlib heapq html
  importlib inspect io ipaddress itertools json keyword linecache locale math ntpath numbers opcode operator os pathlib
  posixpath random re reprlib select shutil signal site sitecustomize sre_compile sre_constants sre_parse stat statistics
  string struct subprocess sys tempfile textwrap threading time token tokenize traceback types typing unicodedata urllib
  usercustomize warnings weakref zipimport zlib bz2 lzma errno grp pwd _bisect _blake2 _bootlocale _compat_pickle _csv
  _datetime _decimal _hashlib _heapq _json _opcode _pydatetime _pydecimal _random _sha1 _sha256 _sha512 _statistics _strptime
  _struct _typing calendar ctypes logging queue selectors socket ssl
`);
/** Whether a file in the directory of a program could be loaded in the place of a module that it means. */
export function isTakenForModule(name: string): boolean {
  return LOADED.has(name.replace(/\.(?:py[cdiow]?|so|(?:cpython|abi3)[^/]*\.so)$/, ""));
}

const READS = wordSet("read_text read_bytes");
const WRITES = wordSet("write_text write_bytes");

/** The words that are plain, for whoever makes programs of them. */
export const PLAIN_PYTHON = { builtins: BUILTIN_WORDS, methods: METHOD_WORDS, modules: MODULES };

/** A program of which everything is known: it computes, prints, and touches these files, named as it names them. */
interface PlainProgram {
  readonly reads: readonly string[];
  readonly writes: readonly string[];
}

interface Token {
  readonly kind: "name" | "text" | "other" | "end";
  readonly text: string;
  /** of a text without escapes and without code in it */
  readonly literal?: string;
}

const MAX_CHARACTERS = 20_000;

/** What a program reads and writes; undefined where not every word of it is known to be plain. */
export function readPlainPython(source: string): PlainProgram | undefined {
  // A declared encoding could turn comments into code.
  if (source.length > MAX_CHARACTERS || /^[^\n]*\n?[^\n]*coding[:=]/.test(source)) return undefined;
  const tokens: Token[] = [];
  return tokenise(source, tokens) ? new Reader(tokens).read() : undefined;
}

/** Names are ASCII: others may be another spelling of the same. */
const TOKEN =
  /(?<blank>[ \t]+|#[^\n]*|\\\r?\n)|(?<end>\r?\n|;)|(?<prefix>[A-Za-z]{0,2})(?<quote>'''|"""|'|")|(?<name>[A-Za-z_]\w*)|(?<other>\d[\w.]*|\*\*=?|\/\/=?|:=|->|<<=?|>>=?|[-+*/%&|^<>=!]=?|[()[\]{}.,:~])/y;

function tokenise(source: string, tokens: Token[]): boolean {
  TOKEN.lastIndex = 0;
  let depth = 0;
  for (let at = 0; at < source.length; ) {
    TOKEN.lastIndex = at;
    const found = TOKEN.exec(source);
    if (found === null) return false;
    at = TOKEN.lastIndex;
    const { end, prefix = "", quote, name, other } = found.groups ?? {};
    if (quote !== undefined) {
      const close = textEnd(source, at, quote);
      if (close < 0 || !addText(prefix.toLowerCase(), source.slice(at, close), tokens)) return false;
      at = close + quote.length;
    } else if (name !== undefined) tokens.push({ kind: "name", text: name });
    else if (other !== undefined) {
      if (/^[([{]$/.test(other)) depth += 1;
      if (/^[)\]}]$/.test(other)) depth -= 1;
      tokens.push({ kind: "other", text: other });
    } else if (end !== undefined && (depth === 0 || end === ";")) tokens.push({ kind: "end", text: end });
  }
  return depth === 0;
}

function textEnd(source: string, start: number, quote: string): number {
  for (let at = start; at < source.length; at += 1) {
    if (source[at] === "\\") at += 1;
    else if (source.startsWith(quote, at)) return at;
    else if (source[at] === "\n" && quote.length === 1) return -1;
  }
  return -1;
}

/** The code between the braces of a text counts as code. */
function addText(prefix: string, content: string, tokens: Token[]): boolean {
  if (!/^(?:|r|b|u|f|rb|br|rf|fr)$/.test(prefix)) return false;
  if (!prefix.includes("f")) {
    const isPlain = !content.includes("\\") && !prefix.includes("b");
    tokens.push({ kind: "text", text: content, ...(isPlain ? { literal: content } : {}) });
    return true;
  }
  const parts = content.split(/[{}]/);
  // Braces in braces would be formats that are computed, or stand for themselves.
  if (content.includes("{{") || !/^(?:\{\})*$/.test(content.replace(/[^{}]/g, ""))) return false;
  tokens.push({ kind: "text", text: content });
  return parts.every((part, index) => {
    if (index % 2 === 0) return true;
    const code = /^([^:!=]*|[^:!]*[=!]=[^:!]*)=?(?:![rsa])?(?::[\w.,<>^+# %-]*)?$/s.exec(part)?.[1];
    if (code === undefined || code.includes("\\")) return false;
    tokens.push({ kind: "other", text: "(" });
    const isRead = tokenise(code, tokens);
    tokens.push({ kind: "other", text: ")" });
    return isRead;
  });
}

class Reader {
  private readonly tokens: readonly Token[];
  private readonly modules = new Map<string, string>();
  /** members that were imported by themselves, with the module they are of */
  private readonly members = new Map<string, string>();
  /** where each name gets a value: the token behind the `=`, or -1 for any other way */
  private readonly bindings = new Map<string, number[]>();
  /** names that stand for arguments and are no variables */
  private readonly labels = new Set<number>();
  private readonly imports = new Set<number>();
  private readonly reads = new Set<string>();
  private readonly writes = new Set<string>();

  constructor(tokens: readonly Token[]) {
    this.tokens = [...tokens, { kind: "end", text: "" }];
  }

  read(): PlainProgram | undefined {
    if (!this.readImports()) return undefined;
    this.findBindings();
    for (const at of this.tokens.keys()) if (!this.isAssignment(at) || !this.isPlain(at)) return undefined;
    return { reads: [...this.reads], writes: [...this.writes] };
  }

  private textAt(at: number): string {
    const token = this.tokens[at];
    return token === undefined || token.kind === "text" ? "" : token.text;
  }

  private isStart(at: number): boolean {
    return at === 0 || this.tokens[at - 1]?.kind === "end" || this.textAt(at - 1) === ":";
  }

  private findEnd(start: number): number {
    let at = start;
    while (this.tokens[at]?.kind !== "end") at += 1;
    return at;
  }

  private readImports(): boolean {
    for (let at = 0; at < this.tokens.length; at += 1) {
      const word = this.textAt(at);
      if (word !== "import" && word !== "from") continue;
      if (!this.isStart(at)) return false;
      const end = this.findEnd(at);
      const words = this.tokens.slice(at, end).map(({ text }) => text);
      for (let index = at; index < end; index += 1) this.imports.add(index);
      const statement = words.join(" ").replaceAll(" . ", ".");
      if (!(word === "import" ? this.readImport(statement) : this.readFrom(statement))) return false;
      at = end;
    }
    return true;
  }

  private readImport(statement: string): boolean {
    return statement
      .slice("import ".length)
      .split(",")
      .every(part => {
        const [, module = "", alias] = /^\s*([\w.]+)(?: as (\w+))?\s*$/.exec(part) ?? [];
        if (!Object.hasOwn(MODULES, module)) return false;
        // `import os.path` gives `os`.
        const name = alias ?? module.split(".")[0] ?? "";
        return this.bindModule(name, alias === undefined ? name : module);
      });
  }

  private bindModule(name: string, module: string): boolean {
    if (this.members.has(name) || (this.modules.get(name) ?? module) !== module) return false;
    this.modules.set(name, module);
    return true;
  }

  private readFrom(statement: string): boolean {
    const [, module = "", list = ""] = /^from ([\w.]+) import \(?([^()]*)\)?$/.exec(statement) ?? [];
    const known = wordSet(Object.hasOwn(MODULES, module) ? (MODULES[module] ?? "") : "");
    return list
      .replace(/,\s*$/, "")
      .split(",")
      .every(part => {
        const [, member = "", alias] = /^\s*(\w+)(?: as (\w+))?\s*$/.exec(part) ?? [];
        if (!known.has(member)) return false;
        const inner = `${module}.${member}`;
        if (Object.hasOwn(MODULES, inner)) return this.bindModule(alias ?? member, inner);
        if (this.modules.has(alias ?? member)) return false;
        this.members.set(alias ?? member, inner);
        return true;
      });
  }

  private bind(at: number, value: number): void {
    const name = this.textAt(at);
    this.bindings.set(name, [...(this.bindings.get(name) ?? []), value]);
  }

  /** Every place where a name is given a value. What is no simple assignment has no value that is known. */
  private findBindings(): void {
    const { tokens } = this;
    const open: string[] = [];
    for (const [at, { kind, text }] of tokens.entries()) {
      if (this.imports.has(at)) continue;
      const next = this.textAt(at + 1);
      if (kind === "other" && /^[([{]$/.test(text)) open.push(text);
      if (kind === "other" && /^[)\]}]$/.test(text)) open.pop();
      if (kind !== "name") continue;
      if (text === "for") this.bindNames(at + 1, "in");
      else if (text === "lambda") this.bindNames(at + 1, ":");
      else if (text === "def") {
        this.bind(at + 1, -1);
        this.bindNames(at + 3, ")");
      } else if (text === "as") this.bindNames(at + 1, next === "(" ? ")" : undefined);
      else if (/^(?:[-+*/%&|^]|\*\*|\/\/|<<|>>|:)=$/.test(next) && next !== "==") this.bind(at, -1);
      else if (next === "=" && open.length > 0) this.labels.add(at);
      else if (next === "=") this.bind(at, this.isStart(at) ? at + 2 : -1);
      else if (next === "," && open.length === 0 && this.isUnpacked(at)) this.bind(at, -1);
      else if (next === ":" && open.length === 0 && this.isStart(at) && !KEYWORDS.has(text))
        this.bind(at, -1);
    }
  }

  /** `a, b = …` and `(a, b) = …`. */
  private isUnpacked(at: number): boolean {
    return this.tokens.slice(at, this.findEnd(at)).some(({ text }) => text === "=");
  }

  /** All names up to a word outside of any parentheses, or the first alone. More than are bound does no harm. */
  private bindNames(start: number, stop: string | undefined): void {
    let depth = 0;
    for (let at = start; this.tokens[at]?.kind !== "end"; at += 1) {
      const text = this.textAt(at);
      if (depth === 0 && text === stop) return;
      if (/^[([{]$/.test(text)) depth += 1;
      if (/^[)\]}]$/.test(text)) depth -= 1;
      if (depth < 0) return;
      if (this.tokens[at]?.kind === "name") this.bind(at, -1);
      if (stop === undefined) return;
    }
  }

  /** Only names, several of them, and items of a name are given values: of anything else it is not clear what changes. */
  private isAssignment(at: number): boolean {
    const { kind, text } = this.tokens[at] ?? { kind: "end", text: "" };
    const isWord = (index: number) =>
      this.tokens[index]?.kind === "name" && !KEYWORDS.has(this.textAt(index));
    // Two names in a row, and words that are keywords only at the start: `match x:`, `type X = …`.
    if (kind === "name" && isWord(at) && isWord(at + 1)) return false;
    if (kind === "name" && /^(?:match|case|type)$/.test(text) && this.isStart(at) && !this.labels.has(at))
      return /^(?:=|\.)$/.test(this.textAt(at + 1)) || (text === "type" && this.textAt(at + 1) === "(");
    if (text === "def") return isWord(at + 1) && this.textAt(at + 2) === "(";
    if (kind !== "other" || !/^(?:=|(?:[-+*/%&|^]|\*\*|\/\/|<<|>>)=)$/.test(text)) return true;
    if (this.labels.has(at - 1)) return true;
    let start = at - 1;
    let depth = 0;
    for (; start >= 0 && this.tokens[start]?.kind !== "end"; start -= 1) {
      const before = this.textAt(start);
      if (/^[)\]}]$/.test(before)) depth += 1;
      if (/^[([{]$/.test(before)) depth -= 1;
      // A label of a lambda or of a parameter stands inside parentheses.
      if (depth < 0) return true;
      if (depth === 0 && (before === "=" || before === ":")) break;
    }
    const target = this.tokens
      .slice(start + 1, at)
      .map(one => (one.kind === "name" ? "n" : this.toSign(one)));
    return /^(?:\*?n(?:,\*?n)*,?|n(?:\[.*\])+)$/s.test(target.join(""));
  }

  private toSign({ kind, text }: Token): string {
    return kind === "text" ? "t" : text;
  }

  private isPlain(at: number): boolean {
    const token = this.tokens[at];
    if (token === undefined || token.kind !== "name" || this.imports.has(at) || this.labels.has(at))
      return true;
    const { text } = token;
    if (this.textAt(at - 1) === ".") return this.isPlainMember(at);
    if (KEYWORDS.has(text)) return true;
    if (text === "__name__") return this.textAt(at + 1) === "==";
    const isBound = this.bindings.has(text);
    if (this.modules.has(text)) {
      const known = MODULES[this.modules.get(text) ?? ""] ?? "";
      return !isBound && this.textAt(at + 1) === "." && wordSet(known).has(this.textAt(at + 2));
    }
    if (this.members.has(text)) return !isBound;
    if (text === "open") return !isBound && this.readOpen(at);
    if (BUILTINS.has(text)) return true;
    return isBound && !UNSAFE.has(text) && !text.startsWith("__");
  }

  private isPlainMember(at: number): boolean {
    const text = this.textAt(at);
    const next = this.textAt(at + 1);
    if (next === "=") return false;
    const owner = this.modules.get(this.textAt(at - 2));
    const isOfModule = owner !== undefined && this.textAt(at - 3) !== ".";
    if (isOfModule) {
      // Checked with the module's name; a module inside it is no value either.
      const inner = `${owner}.${text}`;
      if (!Object.hasOwn(MODULES, inner)) return true;
      return next === "." && wordSet(MODULES[inner] ?? "").has(this.textAt(at + 2));
    }
    const outer = this.modules.get(this.textAt(at - 4));
    if (outer !== undefined && Object.hasOwn(MODULES, `${outer}.${this.textAt(at - 2)}`)) return true;
    // `Path.replace` and `Path.copy` move and copy files: with one argument, and with one or none.
    if (text === "replace") return next === "(" && this.argumentsFrom(at + 1).length >= 2;
    if (text === "copy") return next === "(" && this.textAt(at + 2) === ")";
    if (READS.has(text) || WRITES.has(text)) {
      const paths = next === "(" ? this.readReceiver(at - 1) : undefined;
      return this.note(paths, READS.has(text), WRITES.has(text));
    }
    return METHODS.has(text);
  }

  private note(paths: readonly string[] | undefined, isRead: boolean, isWritten: boolean): boolean {
    for (const path of paths ?? []) {
      if (isRead) this.reads.add(path);
      if (isWritten) this.writes.add(path);
    }
    return paths !== undefined;
  }

  private readOpen(at: number): boolean {
    if (this.textAt(at + 1) !== "(") return false;
    let mode = "r";
    const [first, ...rest] = this.argumentsFrom(at + 1);
    if (first === undefined) return false;
    for (const [index, [start, end]] of rest.entries()) {
      const name = this.labels.has(start) ? this.textAt(start) : "";
      if (name === "encoding" || name === "errors" || name === "newline") continue;
      const isMode = name === "mode" || (name === "" && index === 0);
      const value = end - start === (name === "" ? 1 : 3) ? this.tokens[end - 1]?.literal : undefined;
      if (!isMode || value === undefined || !/^[rwabtx+]+$/.test(value)) return false;
      mode = value;
    }
    return this.note(this.readPaths(...first), !/[wax]/.test(mode), /[wax+]/.test(mode));
  }

  /** Where the arguments between these parentheses begin and end. */
  private argumentsFrom(open: number): readonly (readonly [start: number, end: number])[] {
    const found: [number, number][] = [];
    let depth = 0;
    let start = open + 1;
    for (let at = open; at < this.tokens.length; at += 1) {
      const text = this.textAt(at);
      if (/^[([{]$/.test(text)) depth += 1;
      if (/^[)\]}]$/.test(text)) depth -= 1;
      if (depth === 0 || (depth === 1 && text === ",")) {
        if (at > start) found.push([start, at]);
        start = at + 1;
      }
      if (depth === 0) break;
    }
    return found;
  }

  /** What stands in front of a dot: a name, or a call or group in parentheses. */
  private readReceiver(dot: number): readonly string[] | undefined {
    if (this.textAt(dot - 1) !== ")")
      return this.textAt(dot - 2) === "." ? undefined : this.readPaths(dot - 1, dot);
    let depth = 0;
    let start = dot - 1;
    for (; start >= 0; start -= 1) {
      if (/^[)\]}]$/.test(this.textAt(start))) depth += 1;
      if (/^[([{]$/.test(this.textAt(start))) depth -= 1;
      if (depth === 0) break;
    }
    while (start > 0 && (this.tokens[start - 1]?.kind === "name" || this.textAt(start - 1) === "."))
      start -= 1;
    while (KEYWORDS.has(this.textAt(start))) start += 1;
    return this.readPaths(start, dot);
  }

  /** The texts that an expression may be; undefined when that is not certain. */
  private readPaths(start: number, end: number, depth = 0): readonly string[] | undefined {
    const [first, length] = [this.tokens[start], end - start];
    if (first === undefined || length < 1 || depth > 8) return undefined;
    if (length === 1) {
      if (first.kind === "text") return first.literal === undefined ? undefined : [first.literal];
      return first.kind === "name" ? this.readValues(first.text, depth) : undefined;
    }
    const slash = this.lastSlash(start, end);
    if (slash > 0) {
      const [before, behind] = [this.readPaths(start, slash, depth + 1), this.tokens[slash + 1]?.literal];
      if (end !== slash + 2 || behind === undefined || behind.startsWith("/")) return undefined;
      return before?.map(path => `${path}/${behind}`);
    }
    if (this.textAt(end - 1) !== ")") return undefined;
    if (this.textAt(start) === "(" && this.closes(start) === end - 1)
      return this.readPaths(start + 1, end - 1, depth + 1);
    const open = this.textAt(start + 1) === "(" ? start + 1 : start + 3;
    if (this.textAt(open) !== "(" || this.closes(open) !== end - 1) return undefined;
    const called =
      open === start + 1
        ? this.members.get(this.textAt(start))
        : `${this.modules.get(this.textAt(start))}.${this.textAt(start + 2)}`;
    const given = this.argumentsFrom(open);
    const [only] = given;
    return called === "pathlib.Path" && given.length === 1 && only !== undefined
      ? this.readPaths(...only, depth + 1)
      : undefined;
  }

  private closes(open: number): number {
    let depth = 0;
    for (let at = open; at < this.tokens.length; at += 1) {
      if (/^[([{]$/.test(this.textAt(at))) depth += 1;
      if (/^[)\]}]$/.test(this.textAt(at))) depth -= 1;
      if (depth === 0) return at;
    }
    return -1;
  }

  private lastSlash(start: number, end: number): number {
    let depth = 0;
    for (let at = end - 1; at > start; at -= 1) {
      if (/^[)\]}]$/.test(this.textAt(at))) depth += 1;
      if (/^[([{]$/.test(this.textAt(at))) depth -= 1;
      if (depth === 0 && this.textAt(at) === "/") return at;
    }
    return -1;
  }

  /** A name that gets its value in one place: of an assignment, or of a loop over texts. */
  private readValues(name: string, depth: number): readonly string[] | undefined {
    const [at, other] = this.bindings.get(name) ?? [];
    if (at === undefined || other !== undefined) return undefined;
    if (at >= 0) return this.readPaths(at, this.findEnd(at), depth + 1);
    const loop = this.tokens.findIndex(
      ({ text }, index) =>
        text === name &&
        this.textAt(index - 1) === "for" &&
        this.isStart(index - 1) &&
        this.textAt(index + 1) === "in",
    );
    if (loop < 0) return undefined;
    const listed =
      this.tokens[loop + 2]?.kind === "name" && this.textAt(loop + 3) === ":"
        ? this.onlyValue(this.textAt(loop + 2))
        : loop + 2;
    if (listed === undefined || !/^[([]$/.test(this.textAt(listed))) return undefined;
    const end = this.closes(listed);
    if (this.textAt(end + 1) !== ":" && this.tokens[end + 1]?.kind !== "end") return undefined;
    const given = this.argumentsFrom(listed);
    // One text in parentheses is that text, letter by letter.
    if (this.textAt(listed) === "(" && given.length < 2) return undefined;
    const items = given.map(item => this.readPaths(...item, depth + 1));
    return items.every(item => item !== undefined) ? items.flat() : undefined;
  }

  private onlyValue(name: string): number | undefined {
    const [at, other] = this.bindings.get(name) ?? [];
    // Named once more, the list could have been changed there.
    const isOnce = this.tokens.filter(({ kind, text }) => kind === "name" && text === name).length === 2;
    return at === undefined || at < 0 || other !== undefined || !isOnce ? undefined : at;
  }
}

/** Builtin functions that reach everything: a name of theirs may be theirs where it is not bound. */
const UNSAFE = wordSet(
  "eval exec compile getattr setattr delattr globals locals vars breakpoint input help memoryview object super dir raw_input file execfile reload",
);
