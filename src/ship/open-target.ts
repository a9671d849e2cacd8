import type { Config } from "../config/index.ts";
import { checkTeamName, Database, findDatabaseUrl, unencryptedNotice } from "../postgres/index.ts";
import { Problem } from "../state/index.ts";
import { isLoopback, type System } from "../system/index.ts";
import { version } from "../version.ts";
import { attributesOf } from "./otlp.ts";
import { otlpTarget } from "./otlp-target.ts";
import { postgresTarget } from "./postgres-target.ts";
import type { RetryOptions } from "./retry.ts";
import type { ShipTarget } from "./ship.ts";

export interface TargetOptions extends RetryOptions {
  readonly memory: Config["memory"];
  readonly team: string | undefined;
  readonly hasContent: boolean;
  readonly timeoutMs: number;
}

/** By what was given: `otlp=URL`, `postgres=URL`, `postgres`; nothing leads to the collector of the environment. */
export async function openTarget(
  system: System,
  given: string | undefined,
  options: TargetOptions,
): Promise<ShipTarget> {
  const text = given ?? standardTarget(system.env.get("OTEL_EXPORTER_OTLP_ENDPOINT"));
  const [, kind, address = ""] = /^(otlp|postgres)(?:=(.*))?$/.exec(text) ?? [];
  if (kind === "postgres") return openPostgres(system, address, options);
  if (options.team !== undefined) throw usage("--team is for --to postgres=URL");
  return openOtlp(system, kind === undefined ? "" : address, options);
}

async function openPostgres(system: System, url: string, options: TargetOptions): Promise<ShipTarget> {
  const { memory, team = memory.team, timeoutMs: statementTimeoutMs } = options;
  checkTeamName(team);
  const address = findDatabaseUrl(system, { option: "--to postgres=URL", given: url, memory });
  const notice = unencryptedNotice(address);
  if (notice !== undefined) options.tell(notice);
  const database = await Database.open(address, { statementTimeoutMs, maxConnections: 1 });
  return postgresTarget(system, { ...options, database, team });
}

function openOtlp(system: System, address: string, options: TargetOptions): ShipTarget {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  const isHttp = url?.protocol === "http:" || url?.protocol === "https:";
  if (url === undefined || !isHttp || url.username !== "" || url.password !== "")
    throw usage("--to must be otlp=URL with http or https and no password in it, or postgres=URL");
  if (url.protocol === "http:" && !isLoopback(url.hostname))
    options.tell(`${url.host} is reached without encryption`);
  const resource = attributesOf({
    "service.name": "amplihack",
    "service.version": version,
    "host.name": system.processes.self.host,
    ...readPairs(system.env.get("OTEL_RESOURCE_ATTRIBUTES")),
  });
  const headers = readPairs(system.env.get("OTEL_EXPORTER_OTLP_HEADERS"));
  return otlpTarget({ ...options, url, resource, headers });
}

function standardTarget(endpoint: string | undefined): string {
  if (endpoint !== undefined && endpoint !== "") return `otlp=${endpoint}`;
  throw usage("say where to: --to otlp=URL or --to postgres=URL, or set OTEL_EXPORTER_OTLP_ENDPOINT");
}

/** `key=value,key=value`, percent-encoded, as the variables of OpenTelemetry hold them. */
function readPairs(text: string | undefined): Readonly<Record<string, string>> {
  const pairs = (text ?? "").split(",").flatMap(pair => {
    const equals = pair.indexOf("=");
    if (equals < 1) return [];
    try {
      return [[pair.slice(0, equals).trim(), decodeURIComponent(pair.slice(equals + 1).trim())] as const];
    } catch {
      throw usage("OTEL_EXPORTER_OTLP_HEADERS and OTEL_RESOURCE_ATTRIBUTES must be percent-encoded");
    }
  });
  return Object.fromEntries(pairs);
}

function usage(message: string): Problem {
  return new Problem(message, { kind: "usage", fix: "amplihack ship --help", exitCode: 2 });
}
