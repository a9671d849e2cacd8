/**
 * A hook program that does what a scenario says and speaks through the same renderers as ours:
 * `node trial-hook.cjs SCENARIO LOG SUBCOMMAND [--host ID] [--event NATIVE] < payload`.
 */
import { appendFileSync, readFileSync } from "node:fs";
import { normalise, recognise, render } from "../../../src/exports/hosts.ts";
import { readCommandLine } from "../../../src/hooks/program/command-line.ts";
import { describeEvent, type Effect, fold, type JsonObject } from "../../../src/protocol/index.ts";
import type { Action, Scenario } from "../scenario.ts";

const [scenarioFile = "", logFile = "", ...argv] = process.argv.slice(2);
const env = { get: (name: string) => process.env[name] };

function main(): void {
  if (argv[0] === "--version") return void process.stdout.write("trial\n");
  const line = readCommandLine(argv);
  if (!line.ok) process.exit(1);
  const { subcommand, call } = line;
  const scenario = JSON.parse(readFileSync(scenarioFile, "utf8")) as Scenario;
  const action = scenario[subcommand.name];
  const isRepeated = readFileSync(logFile, "utf8").split("\n").includes(subcommand.name);
  appendFileSync(logFile, `${subcommand.name}\n`);
  const chosen = action?.isOnce === true && isRepeated ? undefined : action;
  if (chosen?.sleepMs !== undefined)
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, chosen.sleepMs);
  if (chosen?.print !== undefined) process.stdout.write(chosen.print);
  if (chosen?.complain !== undefined) process.stderr.write(chosen.complain);
  if (chosen?.exitCode !== undefined) process.exit(chosen.exitCode);
  if (chosen?.print !== undefined) return;

  const text = readFileSync(0, "utf8");
  const nativeEvent = call.nativeEvent ?? subcommand.event;
  const read = normalise(text === "" ? "{}" : text, { host: call.host, event: nativeEvent, env });
  const known = read.ok
    ? {
        host: read.value.host,
        event: read.value.event,
        native: read.value.nativeEvent,
        payload: read.value.raw,
      }
    : {
        host: recognise(undefined, env, call.host),
        event: subcommand.event,
        native: nativeEvent,
        payload: {},
      };
  const input = read.ok ? (read.value.toolInput as JsonObject | null) : null;
  const effect = effectOf(chosen, input);
  const outcome = fold([{ hook: "trial", effect }], { power: describeEvent(known.event).power });
  const request = { event: known.event, nativeEvent: known.native, outcome, payload: known.payload };
  const answer = render(known.host, request);
  process.stdout.write(answer.stdout);
  process.stderr.write(answer.stderr);
  process.exitCode = answer.exitCode;
}

function effectOf(action: Action | undefined, input: JsonObject | null): Effect {
  if (action?.rewrite === undefined || input === null) return action?.effect ?? {};
  const { from, to } = action.rewrite;
  return { input: JSON.parse(JSON.stringify(input).replaceAll(from, to)) as JsonObject };
}

main();
