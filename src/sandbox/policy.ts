/**
 * What a command may do, as `native/sandbox` reads it from a file below the state home. The program enforces all of it
 * or does not start the command; it refuses members that it does not know. Paths are absolute and hold no links.
 */
export interface Policy {
  readonly version: 1;
  /** without which the command does not start; what is not named is not applied */
  readonly layers: readonly Layer[];
  /** undefined: the words that the program is given */
  readonly command?: readonly string[] | undefined;
  /** undefined: where the program is started */
  readonly directory?: string | undefined;
  readonly environment: {
    /** variables whose values are taken over; no others reach the command */
    readonly keep: readonly string[];
    readonly set: Readonly<Record<string, string>>;
  };
  /** trees and files that may be changed; they must be there */
  readonly write: readonly string[];
  /** below them, and neither changed, nor moved, nor replaced */
  readonly readOnly: readonly string[];
  /** below them, and must not come into being */
  readonly reserve: readonly Reserved[];
  readonly hide: readonly Hidden[];
  /** below what is hidden, and shown all the same */
  readonly show: readonly string[];
  /** what comes into being there is set aside when the command has ended */
  readonly absent: readonly string[];
  /** folders through whose links somebody outside would write elsewhere; a new link that leads out is set aside, too */
  readonly noLinks: readonly string[];
  /** trees whose changes are caught instead of made */
  readonly overlay: readonly Overlay[];
  readonly network: "off" | "proxy" | "on";
  readonly proxy?: ProxyStart | undefined;
  /** processes that the command leaves running */
  readonly leftovers: "keep" | "kill";
  /** sandboxes of one project share what they reserve */
  readonly project: string;
  readonly limits?: Limits | undefined;
  /** the process whose end is the end of the command */
  readonly endsWith?: number | undefined;
}

/** `namespaces`: a view of files, processes and network of its own. */
export type Layer = "namespaces" | "landlock" | "seccomp";

export interface Reserved {
  readonly path: string;
  readonly kind: "file" | "folder";
  readonly text?: string;
}

export interface Hidden {
  readonly path: string;
  /** what a hidden file seems to hold */
  readonly text?: string;
}

export interface Overlay {
  readonly path: string;
  readonly upper: string;
  readonly work: string;
}

/** Started outside at the first connection, with the listening socket as descriptor 3 and those of `ports` from 5 on. */
export interface ProxyStart {
  readonly port: number;
  /** of this machine, under the same numbers */
  readonly ports?: readonly number[];
  readonly command: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
}

export interface Limits {
  readonly processes?: number;
  readonly memory?: number;
}
