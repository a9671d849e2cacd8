import { readFileSync } from "node:fs";
import { hostname, userInfo } from "node:os";
import { askYesOrNo, CommandError, defineCommand, option, type Terminal, usageError } from "../cli/index.ts";
import { loadDatabase, loadTeams, loadUrl } from "../postgres/index.ts";
import { errorText } from "../protocol/index.ts";
import { loadInterruption } from "../recipes/index.ts";
import { loadInit, loadPersonData, loadServe } from "../server/index.ts";
import { isLoopback, type System } from "../system/index.ts";

const DEFAULT_PORT = 8_484;
const STARTING_FIXES = [
  [/EADDRINUSE|EACCES/, "--port N"],
  [/^ERR_OSSL|PEM|X509|x509|key values/, "--cert and --key must be PEM files that belong to each other"],
] as const;
const ACTIONS = ["init", "update", "link", "export", "forget"] as const;

export const command = defineCommand({
  name: "serve",
  summary: "the server of a team: machines join it, people look at it",
  group: "Look",
  details: `
serve init makes what the server needs in a database, after it has said what that
is, and prints a link with which the first owner comes in. serve alone serves,
until it is stopped; several may serve one database. serve update brings the tables
to the version of this program, before its servers start. serve link makes another
link for an owner who lost their way in. serve export prints all that is stored of
a person as JSON lines; serve forget deletes it. These need the login of init.

Without --url it is AMPLIHACK_DATABASE_URL. Beyond this machine it needs a
certificate, or --trust-proxy behind a proxy that has one.`,
  positionals: [
    { name: "ACTION", summary: "init, update, link, export or forget; serves without one", isOptional: true },
  ],
  options: {
    url: option.string("URL", "database; else AMPLIHACK_DATABASE_URL"),
    team: option.string("NAME", "with an action: the team (everyone by default)"),
    person: option.string("NAME", "with an action: the owner or the person (you by default)"),
    yes: option.boolean("with init and forget: do it without asking"),
    port: option.number("N", `port to listen on (${DEFAULT_PORT} by default)`, {
      minimum: 0,
      maximum: 65_535,
    }),
    address: option.string("ADDRESS", "address to listen on (127.0.0.1 by default)"),
    "public-url": option.string("URL", "how people and machines reach it"),
    cert: option.string("FILE", "certificate, with the chain"),
    key: option.string("FILE", "its private key"),
    "oidc-issuer": option.string("URL", "people log in with this OpenID Connect provider"),
    "oidc-client": option.string("ID", "as this client; its secret is AMPLIHACK_OIDC_SECRET"),
    "oidc-name": option.string("CLAIM", "the claim that names people (email by default)"),
    "oidc-roles": option.string("CLAIM", "a claim with a list of TEAM:ROLE"),
    "private-webhooks": option.boolean("webhooks may go to this network, and need no TLS"),
    "trust-proxy": option.boolean("a proxy in front ends TLS and tells who asks"),
  },
  forAgents: "asks",
  examples: {
    "amplihack serve init --url postgres://keeper@db.example/agents --team payments": "prepares a database",
    "amplihack serve update --url postgres://keeper@db.example/agents": "updates it, as whoever prepared it",
    "amplihack serve --url postgres://amplihack_server@db.example/agents --cert c.pem --key k.pem --address 0.0.0.0":
      "serves with TLS",
  },
  async run({ options, positionals, system, terminal }) {
    const [action] = positionals;
    const known = ACTIONS.find(each => each === action);
    if (action !== undefined && known === undefined)
      throw usageError(`'${action}' is none of ${ACTIONS.join(", ")}`, "amplihack serve --help");
    const { findDatabaseUrl, unencryptedNotice, describeAddress } = await loadUrl();
    const address = findDatabaseUrl(system, { option: "--url URL", given: options.url });
    const notice = unencryptedNotice(address);
    if (notice !== undefined) terminal.warn(`Warning: ${notice}\n`);
    const { Database } = await loadDatabase();
    const database = await Database.open(address, { maxConnections: known === undefined ? 20 : 2 });
    try {
      if (known === undefined) return await serve(system, database, options, terminal);
      if (known === "update") return await update(database, terminal);
      const { checkTeamName } = await loadTeams();
      const { team = "everyone", person = userInfo().username } = options;
      checkTeamName(team);
      // A misspelt address is told before anything is made.
      const origin = reach(options);
      if (known === "export" || known === "forget")
        return await ofPerson(known, database, { ...options, team }, terminal);
      const { planInit, runInit } = await loadInit();
      if (known === "link") {
        const { makeOwnerLink } = await loadInit();
        const link = await makeOwnerLink(database, team, person);
        terminal.print(`${origin}/login?link=${link}\n`);
        return 0;
      }
      const plan = await planInit(database, team);
      terminal.note(
        `In ${describeAddress(address)} this will\n${plan.steps.map(step => `  - ${step}\n`).join("")}`,
      );
      if (!options.yes && !askYesOrNo(terminal, "Do it?")) {
        terminal.print("Nothing was done.\n");
        return 1;
      }
      const { password, link } = await runInit(database, plan, person);
      if (password !== undefined)
        terminal.print(
          `The server connects as amplihack_server with this password, which is shown once:\n  PGPASSWORD=${password}\n`,
        );
      terminal.print(
        `${person} comes in with this link, once, within two days:\n  ${origin}/login?link=${link}\n`,
      );
      return 0;
    } finally {
      await database.close();
    }
  },
});

/** Again and again the same: it may stand before each start of a server. */
async function update(database: OpenDatabase, terminal: Terminal): Promise<number> {
  const { updateTables } = await loadInit();
  const updates = await updateTables(database);
  if (updates === undefined)
    throw new CommandError(`${database.place} is not prepared for a server`, {
      kind: "refused",
      fix: "amplihack serve init --url URL",
    });
  for (const { part, from, to } of updates) terminal.print(`The ${part} tables: version ${from} → ${to}.\n`);
  if (updates.length === 0) terminal.print("The tables are of this version.\n");
  return 0;
}

async function ofPerson(
  action: "export" | "forget",
  database: OpenDatabase,
  {
    team,
    person,
    yes,
  }: { readonly team: string; readonly person: string | undefined; readonly yes: boolean },
  terminal: Terminal,
): Promise<number> {
  // Without a name the command does not fall back to the current user.
  if (person === undefined)
    throw usageError("say whose data: --person NAME", `amplihack serve ${action} --person ann`);
  const { exportPerson, forgetPerson } = await loadPersonData();
  if (action === "export") {
    const count = await exportPerson(database, team, person, line => terminal.print(line));
    terminal.note(`${count} rows of ${person} in the team ${team}\n`);
    return 0;
  }
  terminal.note(`This deletes all that is stored of ${person} in the team ${team}, for good.\n`);
  if (!yes && !askYesOrNo(terminal, "Do it?")) {
    terminal.print("Nothing was done.\n");
    return 1;
  }
  const removed = await forgetPerson(database, team, person, userInfo().username);
  terminal.print(`${removed} records were deleted.\n`);
  return 0;
}

type OpenDatabase = Awaited<ReturnType<Awaited<ReturnType<typeof loadDatabase>>["Database"]["open"]>>;

interface ServeWords {
  readonly port: number | undefined;
  readonly address: string | undefined;
  readonly "public-url": string | undefined;
  readonly cert: string | undefined;
  readonly key: string | undefined;
  readonly "oidc-issuer": string | undefined;
  readonly "oidc-client": string | undefined;
  readonly "oidc-name": string | undefined;
  readonly "oidc-roles": string | undefined;
  readonly "private-webhooks": boolean;
  readonly "trust-proxy": boolean;
}

/** Where a link leads, as far as that is known before it serves. */
function reach({
  port = DEFAULT_PORT,
  "public-url": url,
  cert,
}: Pick<ServeWords, "port" | "public-url" | "cert">): string {
  return (
    readPublicUrl(url, cert !== undefined) ??
    `${cert === undefined ? "http" : "https"}://${cert === undefined ? "127.0.0.1" : hostname()}:${port}`
  );
}

async function serve(
  system: System,
  database: OpenDatabase,
  options: ServeWords,
  terminal: { print(text: string): void; warn(text: string): void },
): Promise<number> {
  const { address = "127.0.0.1", port = DEFAULT_PORT, cert, key, "trust-proxy": trustsProxy } = options;
  if ((cert === undefined) !== (key === undefined))
    throw usageError("--cert and --key belong together", "amplihack serve --help");
  if (cert === undefined && !trustsProxy && !isLoopback(address))
    throw usageError(
      `others would reach ${address} without encryption, with their keys and logins`,
      "give --cert and --key, or --trust-proxy behind a proxy that ends TLS",
    );
  const url = readPublicUrl(options["public-url"], cert !== undefined || trustsProxy);
  const { startServer, checkReady } = await loadServe();
  await checkReady(database);
  const { ownsTables } = await loadInit();
  if (await ownsTables(database))
    terminal.warn(
      "Warning: this login owns the tables of all teams. Serve as amplihack_server, which sees one team at a time.\n",
    );
  const tls =
    cert === undefined || key === undefined ? undefined : { cert: readPem(cert), key: readPem(key) };
  const log = (line: string) => terminal.warn(`${new Date(system.clock.nowMs()).toISOString()} ${line}\n`);
  const allowsPrivate = options["private-webhooks"];
  const singleSignOn = readSingleSignOn(system, options);
  const serving = { address, port, url, tls, trustsProxy, allowsPrivate, singleSignOn, log };
  const running = await startServer(system, database, serving).catch((error: unknown) => {
    const { code = "", message } = error as NodeJS.ErrnoException;
    throw new CommandError("the server cannot be started", {
      kind: "failed",
      causes: [errorText(error)],
      fix: STARTING_FIXES.find(([pattern]) => pattern.test(`${code} ${message}`))?.[1] ?? "--address ADDRESS",
    });
  });
  const { Interruption, listenForSignals } = await loadInterruption();
  const interruption = new Interruption();
  const listening = listenForSignals(interruption);
  terminal.print(`${running.url}\n`);
  await new Promise<void>(resolve => interruption.onInterrupt(resolve));
  await running.close();
  listening.dispose();
  return 0;
}

function readSingleSignOn(system: System, options: ServeWords) {
  const { "oidc-issuer": issuer, "oidc-client": clientId } = options;
  if (issuer === undefined && clientId === undefined) return undefined;
  const url = issuer !== undefined && URL.canParse(issuer) ? new URL(issuer) : undefined;
  const isSafe = url?.protocol === "https:" || (url?.protocol === "http:" && isLoopback(url.hostname));
  if (issuer === undefined || clientId === undefined || !isSafe)
    throw usageError(
      "--oidc-issuer https://… and --oidc-client ID belong together",
      "amplihack serve --oidc-issuer https://login.acme.example --oidc-client amplihack",
    );
  return {
    issuer,
    clientId,
    secret: system.env.get("AMPLIHACK_OIDC_SECRET"),
    nameClaim: options["oidc-name"] ?? "email",
    rolesClaim: options["oidc-roles"],
  };
}

function readPublicUrl(text: string | undefined, isEncrypted: boolean): string | undefined {
  if (text === undefined) return undefined;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isWeb = url?.protocol === "https:" || (url?.protocol === "http:" && !isEncrypted);
  if (url === undefined || !isWeb || url.pathname !== "/" || url.search !== "" || url.username !== "")
    throw usageError(
      `--public-url must be https://HOST, not '${text}'`,
      "--public-url https://agents.acme.example",
    );
  return url.origin;
}

function readPem(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw usageError(
      `a file of the certificate cannot be read: ${errorText(error)}`,
      "amplihack serve --help",
    );
  }
}
