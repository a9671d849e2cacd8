import { writeSync } from "node:fs";
import { errorText } from "../protocol/error-text.ts";

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
type EndSignal = (typeof SIGNALS)[number];

const callbacks = new Set<() => void>();
let isListening = false;

/**
 * Runs `callback` once when this process ends: normally, by an uncaught error, or by SIGINT, SIGTERM or SIGHUP.
 * Listeners exist only while there is something to run. A signal is raised again afterwards, so that the exit
 * status still tells it; where others listen to the signal too, they decide whether the process ends.
 */
export function onEnd(callback: () => void): { dispose(): void } {
  // A fresh function, so that one callback registered twice is two registrations.
  const registered = () => callback();
  callbacks.add(registered);
  listen();
  return {
    dispose() {
      if (!callbacks.delete(registered) || callbacks.size > 0) return;
      // One turn later: a signal that came while this thread was busy is still waiting to be delivered, and
      // would be lost with its last listener.
      setImmediate(() => {
        if (callbacks.size === 0) unlisten();
      });
    },
  };
}

function listen(): void {
  if (isListening) return;
  isListening = true;
  process.on("exit", runAll);
  for (const signal of SIGNALS) process.on(signal, onSignal);
}

function unlisten(): void {
  isListening = false;
  process.off("exit", runAll);
  for (const signal of SIGNALS) process.off(signal, onSignal);
}

function onSignal(signal: EndSignal): void {
  if (process.listenerCount(signal) > 1) return;
  runAll();
  process.kill(process.pid, signal);
}

function runAll(): void {
  const pending = [...callbacks];
  callbacks.clear();
  unlisten();
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
