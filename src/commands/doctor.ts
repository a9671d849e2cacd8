import {
  defineCommand,
  FORMAT_OPTION,
  loadProgress,
  loadReadHosts,
  option,
  ownProgram,
  type Terminal,
  tellProblems,
} from "../cli/index.ts";
import { type DoctorCheck, loadOperations } from "../install/index.ts";
import { count, wrapWords } from "../text/index.ts";
import { loadLive, type Proof } from "../verify/index.ts";

const LIVE_TIMEOUT_MS = 120_000;

export const command = defineCommand({
  name: "doctor",
  summary: "check that the hooks are registered and would really fire",
  group: "Set up",
  details: `
Reads every host's configuration as the host does, starts every registered hook with an ordinary event, and names what
would keep a hook from firing: a wrong event name, a wrong unit of time, missing trust, duplicates, switches.

With --live the real hosts are started in a temporary home and project against a scripted model on this machine: no
key, no network, no cost. The model asks for one command that the guard refuses and one that it lets pass. The
report says what really happened, and whether your own settings would prevent it.`,
  options: {
    fix: option.boolean("repair what an installation can repair"),
    live: option.boolean("prove it in the real hosts, with a scripted model"),
    host: option.string("HOST", "only this host", { isRepeatable: true }),
    format: FORMAT_OPTION,
  },
  forAgents: { use: "passes", asksWith: ["fix", "live"] },
  examples: {
    "amplihack doctor": "checks everything and says how to fix it",
    "amplihack doctor --fix": "repairs registrations",
    "amplihack doctor --live --host claude": "proves in the real Claude Code that a refusal holds",
  },
  async run({ options, system, terminal }) {
    const { examine, findPackage, repair, requireDirectories } = await loadOperations();
    const { readHosts } = await loadReadHosts();
    const asked = readHosts(options.host, "amplihack doctor");
    const hosts = asked === "all" ? undefined : asked;
    const self = ownProgram();
    return tellProblems("doctor", async () => {
      const places = requireDirectories(system);
      const source = findPackage(system);
      if (options.fix) {
        for (const { hosts: repaired } of await repair(system, places, source, hosts)) {
          for (const { host, status } of repaired) terminal.note(`${host}: ${status}\n`);
        }
      }
      if (options.live) {
        const { proveAll } = await loadLive();
        const { ProgressLine } = await loadProgress();
        const proofs = await new ProgressLine(system, terminal).during("looking for hosts …", onProgress =>
          proveAll(system, source, { hosts, places, self, timeoutMs: LIVE_TIMEOUT_MS, onProgress }),
        );
        const isProved = proofs.some(({ status }) => status === "proved");
        const ok = isProved && proofs.every(proof => proof.status !== "failed" && !isInVain(proof));
        terminal.printResult(options.format, { ok, hosts: proofs }, renderProofs(proofs, terminal));
        return ok ? 0 : 1;
      }
      const request = { hosts, nodeVersion: process.versions.node, self };
      const report = await examine(system, places, source, request);
      const shown = together(report.checks).map(check => withTilde(check, places.home));
      terminal.printResult(options.format, report, renderChecks(shown, terminal));
      return report.ok ? 0 : 1;
    });
  },
});

function renderProofs(proofs: readonly Proof[], terminal: Terminal): string {
  if (proofs.length === 0) return "No host was found that could be tried.\n";
  const lines = proofs.flatMap(proof => {
    const name = `${proof.host}${proof.version === null ? "" : ` ${proof.version}`}`;
    if (proof.status === "not-driven")
      return [
        `${terminal.paint("yellow", "⚠")} ${name}: not tried, ${proof.detail ?? "for an unknown reason"}`,
        ...renderOwnSettings(proof, terminal),
      ];
    const facts = [
      [proof.fired, "a hook ran before the command"],
      [proof.deny_honoured, "the refused command did not run"],
      [proof.allow_honoured, "the permitted command ran"],
      [proof.reason_reached_model, "the reason reached the model"],
    ] as const;
    return [
      `${name}, in the real host:`,
      ...facts.map(([isTrue, text]) =>
        isTrue ? `  ${terminal.paint("green", "✓")} ${text}` : `  ${terminal.paint("red", "✗")} not: ${text}`,
      ),
      ...(proof.detail === null ? [] : [terminal.paint("dim", `    ${proof.detail}`)]),
      ...renderOwnSettings(proof, terminal),
    ];
  });
  const hosts = (isCounted: (proof: Proof) => boolean) => proofs.filter(isCounted).length;
  const failed = hosts(proof => proof.status === "failed" && !isInVain(proof));
  const vain = hosts(isInVain);
  const summary = [
    ...(failed > 0 ? [`${count(failed, "host")} did not honour the hooks.`] : []),
    ...(vain > 0 ? [`${count(vain, "host")} would not run all hooks with your settings.`] : []),
  ];
  if (summary.length === 0)
    summary.push(
      `${count(
        hosts(({ status }) => status === "proved"),
        "host",
      )} proved.`,
    );
  return `${[...lines, "", ...summary].join("\n")}\n`;
}

/** The user's own settings register the hooks, and the host would not run them. */
function isInVain({ own_settings: checks }: Proof): boolean {
  return checks.some(({ status }) => status === "fail");
}

/** What the host would do with the user's own settings; the proof is of a home without them. */
function renderOwnSettings({ own_settings: checks }: Proof, terminal: Terminal): readonly string[] {
  return checks.flatMap(({ status, message, fix }) => {
    const [style, mark] = MARKS[status];
    const line = `  ${terminal.paint(style, mark)} ${hanging(`your settings: ${message}`, 4, terminal)}`;
    const repair = fix === undefined ? [] : [`      ${hanging(`fix: ${fix}`, 6, terminal)}`];
    return [line, ...repair.map(text => terminal.paint("dim", text))];
  });
}

/** Broken between words on a terminal, below where it began. */
function hanging(text: string, indent: number, { columns }: Terminal): string {
  if (columns === undefined) return text;
  return wrapWords(text, columns - indent).join(`\n${" ".repeat(indent)}`);
}

/** Neighbours that say the same of several hosts are one line. */
function together(checks: readonly DoctorCheck[]): readonly DoctorCheck[] {
  const groups: {
    readonly hosts: readonly string[];
    readonly said: DoctorCheck;
    readonly one: DoctorCheck;
  }[] = [];
  for (const one of checks) {
    const { host, said } = splitHost(one);
    const last = groups.at(-1);
    const isSame =
      last !== undefined && last.hosts.length > 0 && host !== undefined && isAlike(last.said, said);
    if (isSame) groups[groups.length - 1] = { ...last, hosts: [...last.hosts, host] };
    else groups.push({ hosts: host === undefined ? [] : [host], said, one });
  }
  return groups.map(({ hosts, said, one }) =>
    hosts.length < 2 ? one : { ...said, message: `${hosts.join(", ")}: ${said.message}` },
  );
}

/** The host that a check is of, and what it says of any. */
function splitHost(check: DoctorCheck): { readonly host: string | undefined; readonly said: DoctorCheck } {
  const [host = ""] = check.message.split(": ", 1);
  if (!check.id.split(".").includes(host)) return { host: undefined, said: check };
  const { fix, ...rest } = check;
  const message = check.message.slice(host.length + 2);
  const ofAll = fix === undefined ? {} : { fix: fix.replace(` --host ${host}`, "") };
  return { host, said: { ...rest, message, ...ofAll } };
}

function isAlike(one: DoctorCheck, other: DoctorCheck): boolean {
  return one.status === other.status && one.message === other.message && one.fix === other.fix;
}

/** Paths in the home as people write them; a quoted one stays, because a shell leaves its `~` alone. */
function withTilde(check: DoctorCheck, home: string): DoctorCheck {
  const shorten = (text: string): string =>
    text
      .split(" ")
      .map(word => (word.startsWith(`${home}/`) ? `~${word.slice(home.length)}` : word))
      .join(" ");
  const { message, fix } = check;
  return { ...check, message: shorten(message), ...(fix === undefined ? {} : { fix: shorten(fix) }) };
}

function summarize(checks: readonly DoctorCheck[]): string {
  const amount = (wanted: DoctorCheck["status"]) => checks.filter(({ status }) => status === wanted).length;
  const [failed, warned] = [amount("fail"), amount("warn")];
  const result = failed === 0 ? "All checks passed" : `${count(failed, "check")} failed`;
  return warned === 0 ? `${result}.` : `${result}; ${count(warned, "warning")}.`;
}

const MARKS = { pass: ["green", "✓"], warn: ["yellow", "⚠"], fail: ["red", "✗"] } as const;

function renderChecks(checks: readonly DoctorCheck[], terminal: Terminal): string {
  const lines = checks.flatMap(({ status, message, fix }) => {
    const [style, mark] = MARKS[status];
    const line = `${terminal.paint(style, mark)} ${hanging(message, 2, terminal)}`;
    const repair = fix === undefined ? [] : [`    ${hanging(`fix: ${fix}`, 4, terminal)}`];
    return [line, ...repair.map(text => terminal.paint("dim", text))];
  });
  return `${[...lines, "", summarize(checks)].join("\n")}\n`;
}
