import { describe, knownPrefix, wordSet } from "../../shell/index.ts";
import { quoteWord } from "../../system/index.ts";
import { type Datum, datumOrigins, firstValue, knownDatumText, listOptions, literal } from "./datum.ts";
import { note, noteDelete, noteLoss, noteMove, noteRead, noteShell, noteWrite } from "./effects.ts";
import { type EvaluationContext, expandTilde, type FunctionCall } from "./evaluation-context.ts";

// Libraries have more functions than any table. What one does that no table knows is told by the words in its name.

export const RUN_WORDS = wordSet(
  "system system2 shell sh bash exec execute execv execvp run runs popen spawn command cmd process subprocess qx qqx callcommand readprocess",
);
export const DELETE_WORDS = wordSet(
  "delete deletes remove removes rm rmdir rmtree rmrf unlink unlinkat erase wipe purge destroy del trash send2trash shred removeall removedirectoryrecursive absent",
);
export const WRITE_WORDS = wordSet("write writes truncate ftruncate overwrite spit output save dump");
/** With one of these a function takes a file in; `load_dotenv` and its like only set variables by it. */
export const READ_WORDS = wordSet(
  "read reads reader load loads loader open parse parser slurp fileio netrc lines getline getlines stream scan values import include fetch source",
);
const SETS_VARIABLES = wordSet("dotenv env environ environment envfile");
export const MOVE_WORDS = wordSet("rename copy move cp mv copyfile copytree");

const UNPACK_WORDS = wordSet(
  "extractto extractall extractallto extractallfiles extractarchive unzip untar unpack unpackarchive",
);
const PACKED = wordSet("zip tar archive jar rar 7z gem package");

/** Words that only functions of files have; the others delete from lists and tables as well. */
const FILE_FUNCTIONS = wordSet(
  "unlink unlinkat rm rmdir rmtree rmrf shred truncate ftruncate trash send2trash",
);
const STARTS = wordSet("system popen shell");
/** `exec_command("…")`, `runCommand("…")` */
const COMMANDS = wordSet("command cmd commands shellscript");
const RUNS = wordSet("exec run execute send invoke call");
/** Words in front of a function that belongs to files. */
const FILE_MODULES = wordSet(
  "fs file files dir directory folder disk libc cdll ffi binding dlopen io os shutil fileutils vim",
);

/** Ways to functions of the system itself: what is called there is not known, so the worst is taken. */
const FOREIGN = wordSet("fiddle ffi ctypes cdll libc dlopen syscall koffi");
const PACKED_FILE = /\.(?:tar|tgz|zip|jar|gz|bz2|xz|zst|7z|rar|gem|whl|war|apk)$/i;
const LIBRARY_FILE = /\.(?:so|dylib|dll)(?:\.\d+)*$/;

const TAKES_AWAY = wordSet(
  "delete destroy terminate purge drop prune wipe revoke truncate deprovision undeploy unpublish",
);
/** What belongs to a service: with one of these in its name a function takes it away there, whatever library it is of. */
const OF_SERVICES = wordSet(`
  namespace database bucket instance instances cluster volume volumes stack droplet topic queue repo repository project
  table collection server deployment subscription customer tenant organization organisation snapshot vault secret user
  users account domain zone vm machine nodegroup index indices keyspace experiment endpoint dataset pipeline workspace
  environment record certificate container filesystem
`);
/** Libraries that are clients of a service, by which their names begin. */
const CLIENT =
  /^(?:@?aws-sdk|aws|boto3?|botocore|docker(?:ode)?|kubernetes|@kubernetes|google\.cloud|@google-cloud|googleapiclient|googleapis|azure|@azure|github|gitlab|octokit|@octokit|redis|ioredis|pymongo|mongodb|stripe|twilio|hcloud|digitalocean|pydo|linode\w*|elasticsearch|@elastic|opensearchpy|openstack|heroku3?|cloudflare|consul|hvac|slack_sdk|@slack|jira|notion_client|@notionhq|supabase|firebase_admin|firebase-admin|pinecone|qdrant_client|weaviate|chromadb|libvirt|proxmoxer|kafka|pika|novaclient|wandb|huggingface_hub|@huggingface|sendgrid|@sendgrid|mailchimp\w*|shopify|pyVmomi|jenkins|launchdarkly\w*)\b/i;
/** Libraries by which a command runs on another machine. */
const RUNS_ELSEWHERE =
  /^(?:paramiko|asyncssh|fabric|netmiko|scrapli|pexpect\.pxssh|ssh2|node-ssh|simple-ssh|winrm|spur)\b/i;

/** `docker.from_env().volumes.prune()`, `client.delete_namespace("prod")`, `new DeleteBucketCommand(…)`. */
function noteServiceLoss(context: EvaluationContext, call: FunctionCall, last: string): void {
  const [verb = "", ...nouns] = last
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z0-9]+/);
  if (!TAKES_AWAY.has(verb)) return;
  if (nouns.some(noun => OF_SERVICES.has(noun)) || CLIENT.test(call.name))
    noteLoss(context, call, "cloud.other", `${verb} something`);
}

const MAX_OPTIONS = 16;
/** Functions of an object whose names begin with what is done: the rest only looks. */
const ACTS =
  /\.(?:delete|destroy|terminate|purge|revoke|vacuum|create|update|set|put|transition|promote|deploy|publish|send|submit|upload|push|grant|invite|approve|enable|disable|cancel|refund|transfer|add|make|stop|remove)(?:[_A-Z]\w*)?$/;

/** What else it may do there is told by its name and by what it is given. */
function noteMember(context: EvaluationContext, { name, positional, named, at }: FunctionCall): void {
  if (!ACTS.test(name)) return;
  const options = [...named].slice(0, MAX_OPTIONS).flatMap(([option, given]) => {
    const value = describe(firstValue(given));
    return value === "" ? [] : [{ name: option, value }];
  });
  const values = positional.slice(0, MAX_OPTIONS).map(given => describe(firstValue(given)));
  note(context, { kind: "member", name, options, values, at });
}

/** Objects whose making runs what is in the bytes. */
const RUNS_BYTES = /^(?:c?pickle|_pickle|dill|cloudpickle|joblib|torch|marshal|jsonpickle|shelve)\./i;

/** `pickle.loads(urlopen(…).read())`, `from_pretrained("x/y", trust_remote_code=True)`: code of others runs. */
function noteForeignCode(context: EvaluationContext, call: FunctionCall, last: string): void {
  const trusted = call.named.get("trust_remote_code") ?? call.named.get("trust_repo");
  const isTrusted = trusted !== undefined && /^true$/i.test(describe(firstValue(trusted)));
  const isFetched =
    RUNS_BYTES.test(call.name) &&
    /^(?:loads?|decode|open|unpickler)$/i.test(last) &&
    call.positional.some(given => datumOrigins(given).some(({ kind }) => kind === "network"));
  if (isTrusted) noteLoss(context, call, "pkg.address", "run the code that comes with a model");
  else if (isFetched) noteLoss(context, call, "pkg.address", "run what came from the network");
}

/** `deleteRecursively`, `del_dir_r`: the whole name and the words in it, in lower case. */
export function wordsInName(name: string): readonly string[] {
  const parts = name.replace(/([a-z0-9])([A-Z])/g, "$1 $2").split(/[^A-Za-z0-9]+/);
  return [name, ...parts].map(part => part.toLowerCase()).flatMap(part => [part, ...grownWords(part)]);
}

/** `dircopy`, `deletetree`, `copyfile`: a verb and what it is done to, written as one word. */
function grownWords(word: string): readonly string[] {
  const [, before, verb = "", after] =
    /^(dir|file|tree|path|r)?(copy|move|remove|delete|unlink|erase)(dir|file|files|tree|path|sync)?$/.exec(
      word,
    ) ?? [];
  return before === undefined && after === undefined ? [] : [verb, "file"];
}

export function hasWord(words: Iterable<string>, known: { has(word: string): boolean }): boolean {
  for (const word of words) if (known.has(word)) return true;
  return false;
}

/** A place rather than a word: a slash, a dot or a tilde in front, or an ending. */
export function isPathText(text: string): boolean {
  return text.length < 1024 && !/\s/.test(text) && /^[~./]|\/|\.\w{1,8}$/.test(text);
}

/** `expand("~")`, `abspath("x")`: the same place, written otherwise. */
export function samePlace(context: EvaluationContext, { name, positional }: FunctionCall): Datum | undefined {
  const [first] = positional;
  if (first === undefined || !isPath(first)) return undefined;
  const last = name.slice(name.lastIndexOf(".") + 1);
  return /^(?:expand|abs|real|normali[sz]e|resolve|canonical)/i.test(last)
    ? expandTilde(first, context)
    : undefined;
}

/** `repo.git.reset("--hard")`: the words of the program, as functions of a library. */
function noteProgramWords(context: EvaluationContext, call: FunctionCall, last: string): void {
  const owner = call.name.slice(0, -last.length - 1);
  if (!/(?:^|\.)git$/.test(owner)) return;
  const given = call.positional.map(knownDatumText);
  if (given.every(word => word !== undefined))
    noteShell(context, call, literal(["git", last.replaceAll("_", "-"), ...given].join(" ")));
}

/** Notes what a function does that no table knows. */
export function noteByName(context: EvaluationContext, call: FunctionCall): void {
  const last = call.name.slice(call.name.lastIndexOf(".") + 1);
  const words = wordsInName(last);
  noteServiceLoss(context, call, last);
  noteMember(context, call);
  noteForeignCode(context, call, last);
  noteProgramWords(context, call, last);
  const isOfFiles =
    words.includes("file") ||
    hasWord(words, FILE_FUNCTIONS) ||
    hasWord(wordsInName(call.name.slice(0, -last.length)), FILE_MODULES);
  if (hasWord(words, STARTS) || (hasWord(words, COMMANDS) && hasWord(words, RUNS)))
    for (const text of call.positional.slice(0, 1))
      if (/\s/.test(knownDatumText(text) ?? "")) noteShell(context, call, ranBy(call, text));
  const isUnpacked =
    hasWord(words, UNPACK_WORDS) ||
    (hasWord(words, wordSet("extract")) && hasWord(wordsInName(call.name), PACKED));
  if (isUnpacked) {
    noteUnpacked(context, call);
    return;
  }
  const isForeign = hasWord(wordsInName(call.name), FOREIGN);
  if (hasWord(words, READ_WORDS) && !hasWord(words, SETS_VARIABLES))
    for (const path of [...call.positional, ...call.named.values()].filter(isPath))
      noteRead(context, call, expandTilde(path, context));
  if (!isOfFiles && !isForeign) return;
  // Some libraries know what the tilde is.
  const paths = [...call.positional, ...call.named.values()]
    .filter(isPath)
    .map(path => expandTilde(path, context));
  const [first] = paths;
  if (first === undefined) return;
  if (hasWord(words, DELETE_WORDS) || isForeign)
    for (const path of paths) noteDelete(context, call, path, true);
  else if (hasWord(words, WRITE_WORDS)) noteWrite(context, call, first, false);
  else if (hasWord(words, MOVE_WORDS)) {
    const [from, to] = call.positional;
    if (from !== undefined && to !== undefined)
      noteMove(context, call, from, expandTilde(to, context), "copy");
  }
}

/** What another machine runs is judged as what is sent there by ssh. */
function ranBy({ name }: FunctionCall, command: Datum): Datum {
  const known = knownDatumText(command);
  return known !== undefined && RUNS_ELSEWHERE.test(name) ? literal(`ssh host ${quoteWord(known)}`) : command;
}

/** What is packed comes into the folder that is named, and else into the one where it is done. */
function noteUnpacked(context: EvaluationContext, call: FunctionCall): void {
  const given = [...call.positional, ...call.named.values()].filter(
    datum => isPath(datum) || knownDatumText(datum) !== undefined,
  );
  const folders = given.filter(path => !PACKED_FILE.test(knownDatumText(path) ?? ""));
  for (const folder of folders.length > 0 ? folders : [literal(".")])
    noteMove(context, call, given[0] ?? folder, folder, "unpack");
}

function isPath(datum: Datum): boolean {
  return listOptions(datum).some(option => {
    if (option.kind !== "text" || LIBRARY_FILE.test(knownDatumText(option) ?? "")) return false;
    return option.type === "path" || isPathText(knownPrefix(firstValue(option)));
  });
}
