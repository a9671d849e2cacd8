import {
  decodeBase64,
  decodeUtf16LittleEndian,
  describe,
  joinValues,
  knownText,
  NO_OUTPUT,
  type Output,
  type ProgramCall,
  type ProgramEffect,
  text,
  unknown,
  unknownOutput,
  type Value,
  withOrigins,
  wordSet,
  words,
} from "../../shell/index.ts";
import { commands, type Field, type ParsedCall, program } from "../model/program.ts";
import { runInterpreterCode } from "../model/run-code.ts";

/** Verbs of cmdlets whose names are written in a shell that is none of Windows. */
const CMDLET =
  /^(?:add|clear|copy|disable|enable|export|foreach|format|get|import|initialize|invoke|move|new|out|remove|rename|reset|restart|select|set|sort|start|stop|suspend|test|uninstall|update|where|write)-[a-z][a-z0-9]+$/i;

/** Shells of Windows, and what is theirs alone; PowerShell runs elsewhere, too. */
export const windows: Field = {
  programs: () => [
    program("pwsh powershell", "shell powershell dangerous", { run: runPowerShell }),
    program("cmd", "shell", { run: runCmd }),
    program("rd erase", "dangerous", { effects: [], run: runBareCmd }),
    program("forfiles", "dangerous", { effects: [], run: runForFiles }),
    program("reg vssadmin wmic bcdedit cipher takeown icacls sc schtasks wevtutil", "readsNothing", {
      operations: [
        "vssadmin: cloud.backup delete|resize | delete the shadow copies | safer vssadmin list shadows | stops vssadmin delete web",
        "wmic: cloud.backup shadowcopy …delete | delete the shadow copies | safer vssadmin list shadows | stops wmic shadowcopy delete web",
        "reg: sec.keychain save|export *SAM*|*SECURITY*|*SYSTEM* | write down what the machine keeps of passwords | stops reg save HKLM/SAM x | passes reg query HKLM/SAM",
        "reg: sys.cron add *CurrentVersion*Run* | make something start automatically | safer reg query {rest} | stops reg add HKCU\\\\CurrentVersion\\\\Run /v x | passes reg query HKCU",
        "reg: fs.system-write delete | delete keys of the registry | ask | safer reg query {rest} | stops reg delete web",
        "bcdedit: fs.system-write …/delete|/set|/deletevalue | change how the machine starts | ask | safer bcdedit | stops bcdedit thing /delete web",
        "cipher: fs.system-write …/w:* | overwrite what was deleted | ask | stops cipher /w:x web | passes cipher thing list web",
        "takeown: fs.system-write …/r|/R | take over a whole tree | ask | safer icacls {rest} | stops takeown thing /r web",
        "icacls: fs.system-write * …/t|/T | change who may use a whole tree | ask | safer icacls {rest} | stops icacls x /t web",
        "sc: sys.power stop|config|pause | stop or change a service of the machine | ask | safer sc query | stops sc stop EventLog | passes sc query",
        "sc: fs.system-write delete | delete a service | ask | safer sc query {rest} | stops sc delete web",
        "schtasks: sys.cron …/create|/change|/Create|/CREATE|/Change | make something start automatically | safer schtasks /query | stops schtasks /create /tn x | passes schtasks /query",
        "schtasks: fs.system-write …/delete|/Delete | delete scheduled tasks | ask | safer schtasks /query | stops schtasks thing /delete web",
        "wevtutil: fs.system-write cl|clear-log | clear a log of the machine | ask | safer wevtutil el | stops wevtutil cl web",
      ],
    }),
    program("remove-item invoke-expression format-volume", "dangerous", {
      run: runCmdlet,
      operations: [
        "format-volume: disk.raw - | erase a disk | unless WhatIf whatif | stops format-volume web | passes format-volume -WhatIf",
      ],
    }),
    program("iwr irm gci", "readsNothing", { pattern: CMDLET, effects: effectsOfCmdlet, run: runCmdlet }),
    commands([
      "clear-eventlog remove-eventlog: fs.system-write - | clear a log of the machine | unless WhatIf | ask | stops clear-eventlog web | passes clear-eventlog -WhatIf",
      "set-executionpolicy: fs.system-write - | change which scripts may run | ask | safer Get-ExecutionPolicy -List | stops set-executionpolicy web",
      "set-mppreference: sys.firewall - | switch protection off | needs disablerealtimemonitoring disablebehaviormonitoring disableioavprotection exclusionpath | stops set-mppreference --disablerealtimemonitoring | passes set-mppreference web",
      "stop-service spsv: sys.power sshd|ssh-agent|LanmanServer|Dnscache|WinRM | cut the machine off the network | unless WhatIf | stops stop-service sshd | passes stop-service sshd -WhatIf",
      "stop-service spsv: sys.power - | cut the machine off the network | needs name=sshd name=WinRM name=Dnscache | stops stop-service --name sshd | passes stop-service web",
      "wbadmin: cloud.backup delete | delete backups | safer wbadmin get versions | stops wbadmin delete web",
      "add-mppreference: sys.firewall - | switch protection off | unless WhatIf | stops add-mppreference -ExclusionPath x | passes get-mppreference",
      "register-scheduledtask set-scheduledtask new-service set-service register-scheduledjob: sys.cron - | make something start automatically | unless WhatIf | stops register-scheduledtask x | passes get-scheduledtask",
      "new-itemproperty set-itemproperty: sys.cron *CurrentVersion*Run* | make something start automatically | unless WhatIf | stops new-itemproperty HKCU:/CurrentVersion/Run | passes get-itemproperty x",
      "new-itemproperty set-itemproperty: sys.cron - | make something start automatically | needs path=*CurrentVersion*Run* | unless WhatIf | stops new-itemproperty -Path HKCU:/CurrentVersion/Run | passes get-itemproperty x",
      "new-itemproperty set-itemproperty: fs.system-write HKLM:* | change the settings of the machine | ask | unless WhatIf | stops set-itemproperty HKLM:/SOFTWARE/x y 0 | passes get-itemproperty x",
      "new-itemproperty set-itemproperty: fs.system-write - | change the settings of the machine | ask | needs path=HKLM:* | unless WhatIf | stops set-itemproperty -Path HKLM:/SOFTWARE/x | passes get-itemproperty x",
      "get-storedcredential get-secret export-pfxcertificate: sec.keychain - | show a secret | stops get-storedcredential x | passes get-date",
      "manage-bde disable-bitlocker: grant.protection - | take the encryption off a disk | needs off mountpoint | stops manage-bde -off C: | passes manage-bde -status",
      "sc.exe: sys.power stop|config|pause | stop or change a service of the machine | ask | safer sc.exe query | stops sc.exe stop EventLog | passes sc.exe query",
      "disable-adaccount remove-aduser disable-aduser set-adaccountpassword disable-localuser: sys.account - | close an account | unless WhatIf | stops disable-adaccount x | passes disable-adaccount -WhatIf",
      "sc.exe: fs.system-write delete | delete a service | ask | safer sc query {rest} | stops sc.exe delete web",
    ]),
  ],
};

/** A switch of cmd.exe; in the shells of git and MSYS the slash is doubled. */
const SWITCH = /^\/{1,2}[A-Za-z](?:\/[A-Za-z])*$/;

/** Written for cmd.exe, in whatever shell it stands. */
export function isCmdStyle({ argv }: ProgramCall): boolean {
  return argv.slice(1).some(word => SWITCH.test(knownText(word) ?? ""));
}

/** The text of the command as it was written: backslashes are no escapes for those who will read it. */
function writtenText({ argv, scope, span, parent }: ProgramCall, isRest = false): Value {
  const { source } = scope;
  if (parent !== undefined || source.base !== undefined) return joinValues(argv, " ");
  return text(source.text.slice(span.start, isRest ? undefined : span.end));
}

/** `rd /s /q dir` without `cmd /c` in front. */
export function runBareCmd(call: ProgramCall): Output {
  return runInterpreterCode("cmd", writtenText(call), [], call, { from: "argument" });
}

/** `forfiles /p dir /s /c "cmd /c del @path"`: the command runs for everything that is found. */
function runForFiles(call: ProgramCall): Output {
  const given = call.argv.map(word => knownText(word) ?? "");
  const after = (name: string) => given.findIndex(word => word.toLowerCase() === name) + 1;
  const [command, folder] = [after("/c"), after("/p")];
  if (command === 0) return [unknownOutput(call)];
  const place = `${folder === 0 ? "." : (given[folder] ?? ".")}/*`;
  const line = (given[command] ?? "").replace(/^"|"$/g, "").replace(/@(?:path|file|relpath)/gi, place);
  return runInterpreterCode("cmd", text(line), [], call, { from: "argument" });
}

/** A cmdlet in a text that is not PowerShell's: whoever wrote it takes the rest for PowerShell as well. */
function runCmdlet(call: ParsedCall): Output | undefined {
  const isFollowed = (call.scope.session.invocations[call.id]?.pipeline?.index ?? 0) > 0;
  if (call.parent?.via === "code" || isFollowed) return undefined;
  return runInterpreterCode("powershell", writtenText(call, true), [], call, { from: "argument" });
}

/** Nouns whose removal loses nothing that lasts. */
const FLEETING = wordSet(`
  alias breakpoint event history host item itemproperty job module package psbreakpoint psdrive psreadlinekeyhandler
  pssession pssnapin typedata variable content
`);

/** `Remove-AzResourceGroup`, `Remove-S3Bucket`: cmdlets that are not known by name. */
function effectsOfCmdlet({ program, argv }: ParsedCall): readonly ProgramEffect[] {
  const [verb = "", noun = ""] = program.toLowerCase().split("-");
  const isDry = argv.some(word => /^-wh[atif]*(?::\$true)?$/i.test(describe(word)));
  if (!/^(?:remove|reset|clear)$/.test(verb) || FLEETING.has(noun) || isDry) return [];
  const target = [program, ...argv.slice(1).map(describe)].join(" ");
  const names = argv.slice(1).map(describe);
  return [{ kind: "operation", rule: "cloud.other", what: `${verb} something`, target, names }];
}

/** Parameters of pwsh, in full; any unambiguous prefix is accepted, in any case. */
const VALUED = words(`
  executionpolicy inputformat outputformat windowstyle version psconsolefile
  configurationname settingsfile workingdirectory custompipename
`);

function runPowerShell(call: ParsedCall): Output {
  for (let index = 1; index < call.argv.length; index += 1) {
    const word = call.argv[index];
    const written = word === undefined ? undefined : knownText(word);
    const parameter = /^(?:--?|\/)([A-Za-z]+)$/.exec(written ?? "")?.[1]?.toLowerCase();
    const rest = call.argv.slice(index + 1);
    if (parameter === undefined)
      return word === undefined || written === "-" ? runStdin(call) : runText(call.argv.slice(index), call);
    if ("command".startsWith(parameter)) return isDash(rest) ? runStdin(call) : runText(rest, call);
    if (
      ["e", "ec"].includes(parameter) ||
      (parameter.startsWith("en") && "encodedcommand".startsWith(parameter))
    )
      return runEncoded(rest[0], call);
    if ("file".startsWith(parameter)) return isDash(rest) ? runStdin(call) : [unknownOutput(call)];
    if (VALUED.some(name => name.startsWith(parameter)) || parameter === "ep" || parameter === "wd")
      index += 1;
  }
  return runStdin(call);
}

function isDash(rest: readonly Value[]): boolean {
  return rest[0] !== undefined && knownText(rest[0]) === "-";
}

function runText(argv: readonly Value[], call: ProgramCall): Output {
  return runInterpreterCode("powershell", joinValues(argv, " "), [], call, { from: "argument" });
}

function runStdin(call: ProgramCall): Output {
  if (call.stdin === undefined) return NO_OUTPUT;
  return runInterpreterCode("powershell", call.stdin, [], call, { from: "stdin" });
}

/** Base64 of UTF-16; what cannot be decoded stays unknown, but decoded it is. */
function runEncoded(word: Value | undefined, call: ProgramCall): Output {
  if (word === undefined) return NO_OUTPUT;
  const known = knownText(word);
  const bytes = known === undefined ? undefined : decodeBase64(known);
  const code =
    bytes === undefined
      ? unknown("any", "encoded command", word.origins)
      : text(decodeUtf16LittleEndian(bytes), word.origins);
  const decoded = withOrigins(code, [{ kind: "decoded", invocation: call.id }]);
  return runInterpreterCode("powershell", decoded, [], call, { from: "argument" });
}

function runCmd(call: ParsedCall): Output {
  const start = call.argv.findIndex(word => /^\/{1,2}[ckr]$/i.test(knownText(word) ?? ""));
  if (start < 0) return [unknownOutput(call)];
  return runInterpreterCode("cmd", joinValues(call.argv.slice(start + 1), " "), [], call, {
    from: "argument",
  });
}
