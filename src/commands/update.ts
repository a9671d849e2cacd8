import { dirname, join } from "node:path";
import { defineCommand } from "../cli/command.ts";
import { CommandError } from "../cli/errors.ts";
import { FORMAT_OPTION, option } from "../cli/option.ts";
import { ownProgram } from "../cli/own-program.ts";
import type { Terminal } from "../cli/terminal.ts";
import type { Release } from "../launcher/update/releases.ts";
import type { System } from "../system/system.ts";
import { version } from "../version.ts";

const NEWER_EXIT_CODE = 10;

export const command = defineCommand({
  name: "update",
  summary: "replace amplihack with a newer version, checked by its signature",
  group: "Set up",
  details:
    "Releases come from update.source in config.jsonc. A release without a fitting checksum and signature is refused.\n" +
    "Exit code with --check: 0 current, 10 a newer version is available.",
  options: {
    check: option.boolean("only say whether there is a newer version"),
    "skip-install": option.boolean("fetch it, but leave the hooks of the agents as they are"),
    version: option.string("VERSION", "the version to change to, also an older one"),
    format: FORMAT_OPTION,
  },
  examples: {
    "amplihack update --check": "says whether there is a newer version",
    "amplihack update": "changes to the newest version",
    "amplihack update --version 1.2.0": "changes to that version, up or down",
  },
  run: ({ options, system, terminal }) => update(system, terminal, options),
});

interface UpdateOptions {
  readonly check: boolean;
  readonly "skip-install": boolean;
  readonly version: string | undefined;
  readonly format: "text" | "json";
}

async function update(system: System, terminal: Terminal, options: UpdateOptions): Promise<number> {
  const [{ checkPlatform }, { readUpdateSettings }, releases] = await Promise.all([
    import("../launcher/platform.ts"),
    import("../launcher/update/settings.ts"),
    import("../launcher/update/releases.ts"),
  ]);
  checkPlatform(process.platform);
  const settings = readUpdateSettings(system);
  const { source } = settings.update;
  if (source === undefined) {
    throw new CommandError("there is no place to look for releases", {
      kind: "update",
      fix: `set "update": {"source": "https://…"} in ${settings.stateHome}/config.jsonc`,
    });
  }
  const offered = await releases.fetchReleases(source);
  const wanted = options.version?.replace(/^v/, "");
  const chosen =
    wanted === undefined ? releases.latestOf(offered) : offered.find(each => each.version === wanted);
  if (options.check)
    return tellCheck(terminal, options, releases.latestOf(offered)?.version, releases.isNewer);
  if (chosen === undefined && wanted !== undefined) {
    throw new CommandError(`there is no release ${wanted}`, {
      kind: "not-found",
      causes: [`${offered.length} releases are offered`],
      fix: "amplihack update --check",
    });
  }
  const isWorth =
    chosen !== undefined && (wanted === undefined ? releases.isNewer(chosen.version, version) : true);
  if (chosen === undefined || !isWorth || chosen.version === version) {
    if (options.format === "json")
      terminal.printJson({ success: true, from: version, to: version, changed: false });
    else terminal.print(`amplihack ${version} is current\n`);
    return 0;
  }
  return change(system, terminal, options, chosen, settings);
}

function tellCheck(
  terminal: Terminal,
  { format }: UpdateOptions,
  latest: string | undefined,
  isNewer: (one: string, than: string) => boolean,
): number {
  const newer = latest !== undefined && isNewer(latest, version);
  if (format === "json") terminal.printJson({ current: version, latest: latest ?? null, newer });
  else if (newer)
    terminal.print(`amplihack ${latest} is available, this is ${version}; run: amplihack update\n`);
  else terminal.print(`amplihack ${version} is current\n`);
  return newer ? NEWER_EXIT_CODE : 0;
}

async function change(
  system: System,
  terminal: Terminal,
  options: UpdateOptions,
  release: Release,
  settings: { readonly stateHome: string; readonly update: { readonly publicKey: string | undefined } },
): Promise<number> {
  const [apply, { releaseKey }, { findOwner }, { isNewer }] = await Promise.all([
    import("../launcher/update/apply.ts"),
    import("../launcher/update/verify.ts"),
    import("../launcher/update/owner.ts"),
    import("../launcher/update/releases.ts"),
  ]);
  const { fetchRelease, registeredHosts, runInstall } = apply;
  const { stateHome } = settings;
  const self = ownProgram();
  const key = releaseKey(settings.update.publicKey, join(dirname(dirname(self)), "release-key.pem"));
  const hosts = registeredHosts(system, stateHome);
  if (isNewer(version, release.version))
    terminal.note(`this goes back from ${version} to ${release.version}\n`);
  const program = await fetchRelease(system, release, stateHome, key);
  const wanted = options["skip-install"] ? undefined : hosts;
  const isInstalled = wanted !== undefined && runInstall(program, wanted);
  const owner = findOwner(self, stateHome);
  const left = "command" in owner ? owner.command(release.version) : undefined;
  const result = {
    success: wanted === undefined || isInstalled,
    from: version,
    to: release.version,
    changed: true,
    program,
    installed_hosts: isInstalled ? wanted : [],
    ...(left === undefined ? {} : { own_copy: left }),
  };
  if (options.format === "json") terminal.printJson(result);
  else {
    terminal.print(`amplihack ${version} → ${release.version} (${program})\n`);
    if (left !== undefined) terminal.print(`This copy is left as it is; to change it, run: ${left}\n`);
    if (wanted === undefined)
      terminal.print(`Hooks are left as they are; to change them, run: ${program} install\n`);
  }
  if (!result.success)
    terminal.warn(`Error: hooks could not be installed again\n  fix: ${program} install\n`);
  return result.success ? 0 : 1;
}
