import { writeSync } from "node:fs";
import { errorText } from "../protocol/index.ts";

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
type EndSignal = (typeof SIGNALS)[number];

/** What is to be run, and whether a signal is listened to for it. */
const callbacks = new Map<() => void, boolean>();
let hearsExit = false;
let hearsSignals = false;

/**
 * Runs `callback` once when this process ends: normally, by an uncaught error, or by SIGINT, SIGTERM or SIGHUP.
 * Listeners exist only while there is something to run. A signal is raised again afterwards, so that the exit
 * status still tells it; where others listen to the signal too, they decide whether the process ends.
 */
export function onEnd(callback: () => void): { dispose(): void } {
  return register(callback, true);
}

/**
 * As `onEnd`, but no signal is listened to: one that comes while this thread is busy ends the process at once, and
 * `callback` is not run.
 */
export function onExit(callback: () => void): { dispose(): void } {
  return register(callback, false);
}

/**
 * Acts when everything that has happened by now was delivered: signals, ends and output of children. Of the turn that is
 * under way those are read already, so it waits for the whole of the next one.
 */
export function afterPending(action: () => void): void {
  setImmediate(setImmediate, action);
}

function register(callback: () => void, isForSignals: boolean): { dispose(): void } {
  // A fresh function, so that one callback registered twice is two registrations.
  const registered = () => callback();
  callbacks.set(registered, isForSignals);
  listen();
  return {
    dispose() {
      // A signal that came while this thread was busy is still waiting to be delivered, and would be lost with its
      // last listener.
      if (callbacks.delete(registered)) afterPending(listen);
    },
  };
}

/** Listens to what there is something to run for, and to nothing else. */
function listen(): void {
  const [needsExit, needsSignals] = [callbacks.size > 0, [...callbacks.values()].includes(true)];
  if (needsExit !== hearsExit) process[needsExit ? "on" : "off"]("exit", runAll);
  if (needsSignals !== hearsSignals)
    for (const signal of SIGNALS) process[needsSignals ? "on" : "off"](signal, onSignal);
  hearsExit = needsExit;
  hearsSignals = needsSignals;
}

function onSignal(signal: EndSignal): void {
  if (process.listenerCount(signal) > 1) return;
  runAll();
  process.kill(process.pid, signal);
}

function runAll(): void {
  const pending = [...callbacks.keys()];
  callbacks.clear();
  listen();
  for (const callback of pending) {
    try {
      callback();
    } catch (error) {
      complain(error);
    }
  }
}

function complain(error: unknown): void {
  try {
    writeSync(2, `amplihack: clean-up at the end failed: ${errorText(error)}\n`);
  } catch {
    // stderr is closed.
  }
}
