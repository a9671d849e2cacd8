import type { Layer } from "./policy.ts";

/** What is open without a layer, in words for people. The tests of ways out hold it to this. */
export const OPEN_WITHOUT: Readonly<Record<Layer, readonly string[]>> = {
  namespaces: [
    "hooks and configuration of git, and settings of hosts: they can be changed",
    "secrets below folders that may be changed",
    "modes, owners, times and attributes of the user's own files everywhere",
    "names, arguments, priorities and ends of other processes",
    "memory that programs share, and files of services in /run",
    "processes that go on after the sandbox was killed",
    "network by host: it is off or on as a whole",
  ],
  landlock: [
    "abstract sockets, where the network is on",
    "signals to the programs that it was started with, at a terminal",
  ],
  seccomp: ["typing into the terminal, new namespaces, and calls that reach the kernel"],
};
