import type { NativeHost } from "../system/quickjs.ts";

declare const amplihackHost: NativeHost;

/**
 * The one global that a dependency asks for, as it is loaded: UTF-8 with the byte order mark kept. The build gives it to
 * whoever names it as an import, so that it is there whichever module is loaded first.
 */
export class TextDecoder {
  decode(bytes: Uint8Array): string {
    return amplihackHost.decode(bytes).text;
  }
}
