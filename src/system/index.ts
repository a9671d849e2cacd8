/**
 * The interface to the outside: files, environment, clock, standard streams, child processes, and pure functions of
 * paths. The adapters have doors of their own; code that runs in the native program sees this interface only.
 */
export { writeAtomically } from "./atomic-write.ts";
export { checksum } from "./checksum.ts";
export {
  compileGlob,
  createGlob,
  type Glob,
  type GlobToken,
  globMatches,
  matchEnds,
  matchesGlob,
  readSet,
} from "./glob.ts";
export { isLoopback } from "./loopback.ts";
export {
  ancestors,
  basename,
  components,
  dirname,
  expandHome,
  expandHomeWord,
  extension,
  isAbsolute,
  isInside,
  join,
  normalise,
  relative,
  resolve,
} from "./paths.ts";
export { childEnvironment, describeEnd, quoteWord, singleQuoted, splitWords } from "./processes.ts";
export { removeTree } from "./remove-tree.ts";
export { sha256, sha256Hex } from "./sha256.ts";
export {
  type Clock,
  type ExactFacts,
  type FileFacts,
  type FileKind,
  type Files,
  type HeldDirectory,
  hasErrorCode,
  leftMs,
  type NamedFacts,
  type NamedKind,
  type Processes,
  type ProcessIdentity,
  type ProcessResult,
  type Random,
  type RunningProcess,
  type System,
  SystemError,
  type TextCodec,
} from "./system.ts";
export { decodeName, encodeRawName, utf8 } from "./utf8.ts";
