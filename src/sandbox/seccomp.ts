import { ownValue } from "../protocol/index.ts";

// The filter of system calls for `bwrap`, which brings none. `native/sandbox/src/calls.rs` refuses the same.

/** In the order of `NAMES`; from 424 on, numbers are the same everywhere. */
const NUMBERS: Readonly<
  Record<string, { readonly machine: number; readonly refused: readonly number[] } & Numbers>
> = {
  x64: {
    machine: 0xc000_003e,
    refused: [
      165, 166, 155, 308, 161, 304, 321, 250, 248, 249, 323, 298, 246, 320, 175, 313, 176, 169, 167, 168, 163,
      179, 103, 164, 227, 170, 171, 153, 172, 173,
    ],
    ...{ unshare: 272, clone: 56, ioctl: 16, socket: 41, socketpair: 53 },
  },
  arm64: {
    machine: 0xc000_00b7,
    refused: [
      40, 39, 41, 268, 51, 265, 280, 219, 217, 218, 282, 241, 104, 294, 105, 273, 106, 142, 224, 225, 89, 60,
      116, 170, 112, 161, 162, 58,
    ],
    ...{ unshare: 97, clone: 220, ioctl: 29, socket: 198, socketpair: 199 },
  },
};

interface Numbers {
  readonly unshare: number;
  readonly clone: number;
  readonly ioctl: number;
  readonly socket: number;
  readonly socketpair: number;
}

/** Mounts by descriptor, `io_uring`, quotas. */
const REFUSED_EVERYWHERE = [425, 426, 427, 428, 429, 430, 431, 432, 433, 442, 443, 467];
const CLONE3 = 435;
const NAMESPACES =
  0x1000_0000 | 0x2_0000 | 0x2000_0000 | 0x0800_0000 | 0x4000_0000 | 0x0400_0000 | 0x0200_0000;
const NEW_TIME = 0x80;
/** Of terminals; and copies of whole folders of btrfs, with what is hidden in them. */
const REQUESTS = [
  0x5412, 0x541c, 0x541d, 0x5423, 0x4b47, 0x4b49, 0x4b4b, 0x4b4d, 0x4bfb, 0x5000_9401, 0x5000_9417,
];
const UNIX = 1;
const FAMILIES = [UNIX, 2, 10, 16];
const [EPERM, ENOSYS] = [1, 38];
const X32 = 0x4000_0000;

const [LOAD, EQUAL, AT_LEAST, ANY_BIT, RETURN] = [0x20, 0x15, 0x35, 0x45, 0x06];
const ALLOW = 0x7fff_0000;
const ERROR = 0x0005_0000;
const KILL = 0x8000_0000;

type Step = readonly [code: number, whenTrue: number, whenFalse: number, value: number];

/** The filter as the kernel reads it; undefined for a machine whose numbers are not known. */
export function seccompProgram(architecture: string): Uint8Array | undefined {
  const numbers = ownValue(NUMBERS, architecture);
  if (numbers === undefined) return undefined;
  const argument = (index: number): Step => [LOAD, 0, 0, 16 + 8 * index];
  const refuse = (number: number, error = EPERM): readonly Step[] => [
    [EQUAL, 0, 1, number],
    [RETURN, 0, 0, ERROR | error],
  ];
  /** The steps behind it decide about one call, and end. */
  const only = (number: number, steps: readonly Step[]): readonly Step[] => [
    [EQUAL, 0, steps.length, number],
    ...steps,
  ];
  const flags = (mask: number): readonly Step[] => [
    argument(0),
    [ANY_BIT, 0, 1, mask],
    [RETURN, 0, 0, ERROR | EPERM],
    [RETURN, 0, 0, ALLOW],
  ];
  const families = (allowed: readonly number[]): readonly Step[] => [
    argument(0),
    ...allowed.flatMap((family): readonly Step[] => [
      [EQUAL, 0, 1, family],
      [RETURN, 0, 0, ALLOW],
    ]),
    [RETURN, 0, 0, ERROR | EPERM],
  ];
  const steps: readonly Step[] = [
    [LOAD, 0, 0, 4],
    [EQUAL, 1, 0, numbers.machine],
    [RETURN, 0, 0, KILL],
    [LOAD, 0, 0, 0],
    [AT_LEAST, 0, 1, X32],
    [RETURN, 0, 0, ERROR | ENOSYS],
    ...refuse(CLONE3, ENOSYS),
    ...[...numbers.refused, ...REFUSED_EVERYWHERE].flatMap(number => refuse(number)),
    ...only(numbers.unshare, flags(NAMESPACES | NEW_TIME)),
    ...only(numbers.clone, flags(NAMESPACES)),
    ...only(numbers.ioctl, [
      argument(1),
      ...REQUESTS.flatMap(request => refuse(request)),
      [RETURN, 0, 0, ALLOW],
    ]),
    ...only(numbers.socket, families(FAMILIES)),
    ...only(numbers.socketpair, families([UNIX])),
    [RETURN, 0, 0, ALLOW],
  ];
  const bytes = new DataView(new ArrayBuffer(steps.length * 8));
  for (const [index, [code, whenTrue, whenFalse, value]] of steps.entries()) {
    bytes.setUint16(index * 8, code, true);
    bytes.setUint8(index * 8 + 2, whenTrue);
    bytes.setUint8(index * 8 + 3, whenFalse);
    bytes.setUint32(index * 8 + 4, value >>> 0, true);
  }
  return new Uint8Array(bytes.buffer);
}
