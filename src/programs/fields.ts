import { accounts } from "./accounts.ts";
import { archives } from "./archives.ts";
import { cloud } from "./cloud.ts";
import { containers } from "./containers.ts";
import { credentials } from "./credentials.ts";
import { databases } from "./databases.ts";
import { editors } from "./editors.ts";
import { encoding } from "./encoding.ts";
import { environment } from "./environment.ts";
import { exposure } from "./exposure.ts";
import { files } from "./files.ts";
import { frameworks } from "./frameworks.ts";
import { versionControl } from "./git.ts";
import { isolation } from "./isolation.ts";
import { jobs } from "./jobs.ts";
import { languages } from "./languages.ts";
import { make } from "./make.ts";
import { network } from "./network.ts";
import { otherLanguages } from "./other-languages.ts";
import { packages } from "./packages.ts";
import { paths } from "./paths.ts";
import { prefixes } from "./prefix.ts";
import { print } from "./print.ts";
import type { Field } from "./program.ts";
import { remote } from "./remote.ts";
import { remoteCopy } from "./remote-copy.ts";
import { removal } from "./removal.ts";
import { search } from "./search.ts";
import { servers } from "./servers.ts";
import { shells } from "./shells.ts";
import { system } from "./system.ts";
import { taskRunners } from "./task-runners.ts";
import { terminals } from "./terminals.ts";
import { textPrograms } from "./text.ts";
import { transfer } from "./transfer.ts";
import { windows } from "./windows.ts";
import { argumentLists } from "./xargs.ts";

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
  exposure,
  system,
  credentials,
];
