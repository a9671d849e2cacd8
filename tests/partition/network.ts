import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { onTestFinished } from "vitest";

/**
 * How a machine loses the network. `down`: its own link is switched off, so that it has no route. `unplugged`: the other
 * end of its cable is, so that it has one which leads nowhere. The others leave everything up and drop what is sent: no
 * side is told anything, and connections stay half open.
 */
export type Cut = "down" | "unplugged" | "to the server" | "from the server";

/** A machine of its own as far as the network goes: it shares files and processes with the others. */
export interface Machine {
  readonly address: string;
  /** stands before a command that is to run there */
  readonly enter: readonly [string, ...string[]];
  /** After so many bytes from now on, or at once. Bytes count in the direction that is dropped. */
  cut(how: Cut): void;
  cutAfter(bytes: number, how: "to the server" | "from the server"): void;
  heal(): void;
}

export interface Network {
  readonly server: Machine;
  readonly machines: readonly Machine[];
}

const TABLE = "amplihack";
const PREFIX = "10.77.0";
export const NETWORK = `${PREFIX}.0/24`;

/** What is missing for such a network; undefined where nothing is. */
export function missingForNetwork(): string | undefined {
  if (process.platform !== "linux") return "Linux";
  if (process.getuid?.() !== 0) return "root (sudo)";
  for (const [program, source] of [
    ["unshare", "util-linux"],
    ["ip", "iproute2"],
    ["nft", "nftables"],
  ] as const)
    if (spawnSync(program, ["--version"]).error !== undefined)
      return `${program} (apt-get install ${source})`;
  const trial = "ip link add hub type bridge && ip link add port1 type veth && nft add table bridge trial";
  const { status, stderr } = spawnSync("unshare", ["--net", "sh", "-c", trial], { encoding: "utf8" });
  return status === 0 ? undefined : `the right to make networks: ${stderr.trim().split("\n")[0]}`;
}

/** A server and so many machines around a switch, each in a network namespace that ends with the test. */
export async function openNetwork(count: number): Promise<Network> {
  const hub = await holdNamespace();
  const inHub = (...words: readonly string[]): void => run([...enter(hub), ...words]);
  inHub("ip", "link", "add", "name", "hub", "type", "bridge", "forward_delay", "0");
  inHub("ip", "link", "set", "hub", "up");
  inHub("nft", `add table bridge ${TABLE}`);
  inHub("nft", `add chain bridge ${TABLE} forward { type filter hook forward priority 0; }`);
  const rules = new Map<string, string>();
  const machines: Machine[] = [];
  for (let number = 1; number <= count + 1; number++) {
    const port = `port${number}`;
    const address = `${PREFIX}.${number}`;
    const namespace = await holdNamespace();
    const inside = (...words: readonly string[]): void => run([...enter(namespace), ...words]);
    inHub("ip", "link", "add", port, "type", "veth", "peer", "name", "eth0", "netns", String(namespace.pid));
    inHub("ip", "link", "set", port, "master", "hub", "up");
    inside("ip", "address", "add", `${address}/24`, "dev", "eth0");
    for (const link of ["lo", "eth0"]) inside("ip", "link", "set", link, "up");
    const setRule = (rule: string | undefined): void => {
      if (rule === undefined) rules.delete(port);
      else rules.set(port, rule);
      const lines = [`flush chain bridge ${TABLE} forward`];
      for (const each of rules.values()) lines.push(`add rule bridge ${TABLE} forward ${each}`);
      inHub("nft", lines.join("\n"));
    };
    const towards = (how: Cut): string => (how === "to the server" ? `iifname ${port}` : `oifname ${port}`);
    machines.push({
      address,
      enter: enter(namespace),
      cut(how) {
        if (how === "down") inside("ip", "link", "set", "eth0", "down");
        else if (how === "unplugged") inHub("ip", "link", "set", port, "down");
        else setRule(`${towards(how)} drop`);
      },
      cutAfter: (bytes, how) => setRule(`${towards(how)} quota over ${bytes} bytes drop`),
      heal() {
        setRule(undefined);
        inHub("ip", "link", "set", port, "up");
        inside("ip", "link", "set", "eth0", "up");
      },
    });
  }
  const [server, ...others] = machines as [Machine, ...Machine[]];
  return { server, machines: others };
}

/** Lasts as long as the process that waits in it, whose input ends with this process, however that ends. */
async function holdNamespace(): Promise<ChildProcess> {
  const holder = spawn("unshare", ["--net", "sh", "-c", "echo; exec cat"], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  onTestFinished(() => void holder.stdin?.end());
  await new Promise((resolve, reject) => {
    holder.stdout?.once("data", resolve);
    holder.once("exit", () => reject(new Error("no network namespace could be made")));
  });
  return holder;
}

function enter({ pid }: ChildProcess): readonly [string, ...string[]] {
  return ["nsenter", `--net=/proc/${pid}/ns/net`];
}

function run([program = "", ...words]: readonly string[]): void {
  execFileSync(program, words, { stdio: ["ignore", "ignore", "pipe"] });
}
