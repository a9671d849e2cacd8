import { judgeCommand, judgeTool } from "../../../src/exports/guard.ts";
import { contextFor, judge } from "../scene.ts";
import { dangerousRunners, ordinaryRunners } from "./framework-runners.ts";
import type { Grammar } from "./generate.ts";
import { dangerousRequests, ordinaryRequests } from "./http.ts";
import { dangerousDeletion, ordinaryDeletion } from "./inline-deletion.ts";
import { dangerousProcesses, ordinaryProcesses } from "./processes.ts";
import { dangerousPublication, ordinaryPublication } from "./publication.ts";
import { dangerousRemote, ordinaryRemote } from "./remote-runners.ts";
import { dangerousSetuid, ordinarySetuid } from "./setuid.ts";
import { dangerousSql, ordinarySql } from "./sql-drivers.ts";
import { dangerousVerbs, ordinaryVerbs } from "./verbs.ts";
import {
  dangerousCmdTool,
  dangerousPowerShellTool,
  dangerousWindowsInBash,
  ordinaryCmdTool,
  ordinaryPowerShellTool,
  ordinaryWindowsInBash,
} from "./windows.ts";

/** A family of commands: what must be stopped, what must pass, and through which tool they come. */
export interface Family {
  readonly name: string;
  readonly dangerous: Grammar;
  readonly ordinary: Grammar;
  readonly verdict: (command: string) => string;
  readonly count?: number;
}

const inBash = (command: string) => judge(command).verdict;
const inPowerShell = (command: string) => judgeCommand(command, contextFor({ isPowerShell: true })).verdict;
const inCmd = (command: string) =>
  judgeTool(
    {
      tool: {
        name: "mcp__windows__run",
        canonicalName: "mcp__windows__run",
        input: { command, shell: "cmd" },
      },
      facts: { command: null, paths: [] },
    },
    contextFor(),
  ).verdict;

export const FAMILIES: readonly Family[] = [
  { name: "loops of unlink", dangerous: dangerousDeletion, ordinary: ordinaryDeletion, verdict: inBash },
  { name: "SQL through drivers", dangerous: dangerousSql, ordinary: ordinarySql, verdict: inBash },
  { name: "framework runners", dangerous: dangerousRunners, ordinary: ordinaryRunners, verdict: inBash },
  { name: "destructive verbs", dangerous: dangerousVerbs, ordinary: ordinaryVerbs, verdict: inBash },
  { name: "HTTP and GraphQL", dangerous: dangerousRequests, ordinary: ordinaryRequests, verdict: inBash },
  { name: "remote runners", dangerous: dangerousRemote, ordinary: ordinaryRemote, verdict: inBash },
  { name: "processes", dangerous: dangerousProcesses, ordinary: ordinaryProcesses, verdict: inBash },
  { name: "setuid", dangerous: dangerousSetuid, ordinary: ordinarySetuid, verdict: inBash },
  { name: "publication", dangerous: dangerousPublication, ordinary: ordinaryPublication, verdict: inBash },
  {
    name: "Windows shells in bash",
    dangerous: dangerousWindowsInBash,
    ordinary: ordinaryWindowsInBash,
    verdict: inBash,
  },
  {
    name: "PowerShell tool",
    dangerous: dangerousPowerShellTool,
    ordinary: ordinaryPowerShellTool,
    verdict: inPowerShell,
    count: 80,
  },
  { name: "cmd tool", dangerous: dangerousCmdTool, ordinary: ordinaryCmdTool, verdict: inCmd, count: 40 },
];
