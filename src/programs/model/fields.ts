import { accounts } from "../records/accounts.ts";
import { archives } from "../records/archives.ts";
import { cloud } from "../records/cloud.ts";
import { containers } from "../records/containers.ts";
import { credentials } from "../records/credentials.ts";
import { databases } from "../records/databases.ts";
import { editors } from "../records/editors.ts";
import { encoding } from "../records/encoding.ts";
import { environment } from "../records/environment.ts";
import { exposure } from "../records/exposure.ts";
import { files } from "../records/files.ts";
import { frameworks } from "../records/frameworks.ts";
import { versionControl } from "../records/git.ts";
import { isolation } from "../records/isolation.ts";
import { jobs } from "../records/jobs.ts";
import { languages } from "../records/languages.ts";
import { make } from "../records/make.ts";
import { network } from "../records/network.ts";
import { otherLanguages } from "../records/other-languages.ts";
import { packages } from "../records/packages.ts";
import { print } from "../records/print.ts";
import { remote } from "../records/remote.ts";
import { remoteCopy } from "../records/remote-copy.ts";
import { removal } from "../records/removal.ts";
import { search } from "../records/search.ts";
import { servers } from "../records/servers.ts";
import { shells } from "../records/shells.ts";
import { system } from "../records/system.ts";
import { taskRunners } from "../records/task-runners.ts";
import { terminals } from "../records/terminals.ts";
import { textPrograms } from "../records/text.ts";
import { transfer } from "../records/transfer.ts";
import { windows } from "../records/windows.ts";
import { argumentLists } from "../records/xargs.ts";
import { paths } from "./paths.ts";
import { prefixes } from "./prefix.ts";
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
