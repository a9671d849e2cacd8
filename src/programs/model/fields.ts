import { cloud } from "../records/cloud.ts";
import { containers } from "../records/containers.ts";
import { credentials } from "../records/credentials.ts";
import { databases } from "../records/databases.ts";
import { encoding } from "../records/encoding.ts";
import { files, removal } from "../records/files.ts";
import { frameworks } from "../records/frameworks.ts";
import { versionControl } from "../records/git.ts";
import { argumentLists, jobs } from "../records/jobs.ts";
import { languages } from "../records/languages.ts";
import { network } from "../records/network.ts";
import { otherLanguages } from "../records/other-languages.ts";
import { packages } from "../records/packages.ts";
import { prefixes } from "../records/prefixes.ts";
import { paths, print } from "../records/printing.ts";
import { remote } from "../records/remote.ts";
import { remoteCopy } from "../records/remote-copy.ts";
import { search } from "../records/search.ts";
import { servers } from "../records/servers.ts";
import { editors, shells } from "../records/shells.ts";
import { system } from "../records/system.ts";
import { make, taskRunners } from "../records/tasks.ts";
import { textPrograms } from "../records/text.ts";
import { archives, transfer } from "../records/transfer.ts";
import { otherVersionControl } from "../records/version-control.ts";
import { windows } from "../records/windows.ts";
import { accounts, environment, isolation, terminals } from "../records/wrappers.ts";
import type { Field } from "./program.ts";

/** The programs of most commands, whose names count first. They have no operations. */
export const EVERYDAY: readonly Field[] = [print, paths, removal, transfer, files, textPrograms, search];

export const OTHERS: readonly Field[] = [
  encoding,
  network,
  remoteCopy,
  remote,
  servers,
  prefixes,
  environment,
  accounts,
  jobs,
  argumentLists,
  versionControl,
  otherVersionControl,
  make,
  taskRunners,
  terminals,
  containers,
  isolation,
  packages,
  archives,
  editors,
  windows,
  languages,
  otherLanguages,
  shells,
  databases,
  frameworks,
  cloud,
  system,
  credentials,
];
