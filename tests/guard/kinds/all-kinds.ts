import type { GuardContext } from "../../../src/guard/index.ts";
import { draw, type Grammar } from "../families/generate.ts";
import { settings } from "../scene.ts";
import * as computedTargets from "./computed-targets.ts";
import * as deploys from "./deploys.ts";
import * as filters from "./filters.ts";
import * as grants from "./grants.ts";
import * as computedTargetsHeldOut from "./held-out/computed-targets.ts";
import * as deploysHeldOut from "./held-out/deploys.ts";
import * as filtersHeldOut from "./held-out/filters.ts";
import * as grantsHeldOut from "./held-out/grants.ts";
import * as killingHeldOut from "./held-out/killing.ts";
import * as libraryCallsHeldOut from "./held-out/library-calls.ts";
import * as loaderVariablesHeldOut from "./held-out/loader-variables.ts";
import * as outputOptionsHeldOut from "./held-out/output-options.ts";
import * as rawApisHeldOut from "./held-out/raw-apis.ts";
import * as secretValuesHeldOut from "./held-out/secret-values.ts";
import * as spendingHeldOut from "./held-out/spending.ts";
import * as toolNamesHeldOut from "./held-out/tool-names.ts";
import * as treeCopiesHeldOut from "./held-out/tree-copies.ts";
import * as treeReadsHeldOut from "./held-out/tree-reads.ts";
import * as unknownInterpretersHeldOut from "./held-out/unknown-interpreters.ts";
import * as unknownVerbsHeldOut from "./held-out/unknown-verbs.ts";
import * as unknownWrappersHeldOut from "./held-out/unknown-wrappers.ts";
import * as uploadsHeldOut from "./held-out/uploads.ts";
import * as versionControlHeldOut from "./held-out/version-control.ts";
import * as killing from "./killing.ts";
import * as libraryCalls from "./library-calls.ts";
import * as loaderVariables from "./loader-variables.ts";
import * as outputOptions from "./output-options.ts";
import * as rawApis from "./raw-apis.ts";
import * as secretValues from "./secret-values.ts";
import * as spending from "./spending.ts";
import * as toolNames from "./tool-names.ts";
import * as treeCopies from "./tree-copies.ts";
import * as treeReads from "./tree-reads.ts";
import * as unknownInterpreters from "./unknown-interpreters.ts";
import * as unknownVerbs from "./unknown-verbs.ts";
import * as unknownWrappers from "./unknown-wrappers.ts";
import * as uploads from "./uploads.ts";
import * as versionControl from "./version-control.ts";

interface Open {
  readonly DANGEROUS?: Grammar;
  readonly DANGEROUS_TOOLS?: Grammar;
  readonly ORDINARY?: Grammar;
  readonly ORDINARY_TOOLS?: Grammar;
}

interface HeldOut {
  readonly HELD_OUT?: Grammar;
  readonly HELD_OUT_TOOLS?: Grammar;
  readonly HELD_OUT_ORDINARY?: Grammar;
  readonly HELD_OUT_ORDINARY_TOOLS?: Grammar;
}

/** The calls of one kind, drawn from what may be read and from what may not. */
export interface Kind {
  readonly name: string;
  readonly options: Partial<GuardContext>;
  readonly dangerous: readonly string[];
  readonly ordinary: readonly string[];
  readonly heldOutDangerous: readonly string[];
  readonly heldOutOrdinary: readonly string[];
}

const SEED = 30;
const OPEN_COUNT = 200;
const HELD_OUT_COUNT = 100;
/** Of a kind that has shell commands as well. */
const TOOLS_COUNT = 20;

function kind(name: string, open: Open, heldOut: HeldOut, options: Partial<GuardContext> = {}): Kind {
  return {
    name,
    options,
    dangerous: drawBoth(open.DANGEROUS, open.DANGEROUS_TOOLS, OPEN_COUNT),
    ordinary: drawBoth(open.ORDINARY, open.ORDINARY_TOOLS, OPEN_COUNT),
    heldOutDangerous: drawBoth(heldOut.HELD_OUT, heldOut.HELD_OUT_TOOLS, HELD_OUT_COUNT),
    heldOutOrdinary: drawBoth(heldOut.HELD_OUT_ORDINARY, heldOut.HELD_OUT_ORDINARY_TOOLS, HELD_OUT_COUNT),
  };
}

function drawBoth(shell: Grammar | undefined, tools: Grammar | undefined, count: number): readonly string[] {
  return [
    ...(shell === undefined ? [] : draw(SEED, shell, count)),
    ...(tools === undefined ? [] : draw(SEED, tools, shell === undefined ? count : TOOLS_COUNT)),
  ];
}

export const KINDS: readonly Kind[] = [
  kind("output options of ordinary programs", outputOptions, outputOptionsHeldOut),
  kind("interpreters that few know", unknownInterpreters, unknownInterpretersHeldOut),
  kind("library calls that delete, truncate or overwrite", libraryCalls, libraryCallsHeldOut),
  kind("loader variables and files of the same command", loaderVariables, loaderVariablesHeldOut),
  kind("other version control", versionControl, versionControlHeldOut),
  kind("raw APIs in place of the verb", rawApis, rawApisHeldOut),
  kind("names of tools", toolNames, toolNamesHeldOut),
  kind("a secret's value in any argument", secretValues, secretValuesHeldOut),
  kind("rights and protection", grants, grantsHeldOut),
  kind("deploys", deploys, deploysHeldOut),
  kind("spending, at the strict level", spending, spendingHeldOut, {
    settings: settings({ level: "strict" }),
  }),
  kind("wrappers that few know", unknownWrappers, unknownWrappersHeldOut),
  kind("uploads of secret files", uploads, uploadsHeldOut),
  kind("killing by computed lists", killing, killingHeldOut),
  kind("copies of trees into an ancestor", treeCopies, treeCopiesHeldOut),
  kind("filters that make nothing smaller", filters, filtersHeldOut),
  kind("computed write targets", computedTargets, computedTargetsHeldOut),
  kind("reads of trees with secrets", treeReads, treeReadsHeldOut),
  kind("verbs of unknown programs, text for databases", unknownVerbs, unknownVerbsHeldOut),
];
