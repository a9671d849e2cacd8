import type { ServerResponse } from "node:http";

const MAX_STREAMS = 16;
const HEARTBEAT_MS = 15_000;
/** A reader that is this far behind is cut off; it comes back by itself and starts afresh. */
const MAX_UNSENT_BYTES = 1024 * 1024;

/** Open pages that are told when something happened (server-sent events). */
export class LiveStreams {
  private readonly open = new Set<ServerResponse>();
  private readonly heartbeat = setInterval(() => this.write(": still here\n\n"), HEARTBEAT_MS);

  /** False when there are too many already. */
  add(response: ServerResponse, firstNews: unknown): boolean {
    if (this.open.size >= MAX_STREAMS) return false;
    response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8" });
    this.open.add(response);
    response.on("close", () => this.open.delete(response));
    response.write(message(firstNews));
    return true;
  }

  tell(news: unknown): void {
    this.write(message(news));
  }

  close(): void {
    clearInterval(this.heartbeat);
    for (const response of this.open) response.destroy();
    this.open.clear();
  }

  private write(text: string): void {
    for (const response of this.open) {
      if (response.writableLength > MAX_UNSENT_BYTES) response.destroy();
      else response.write(text);
    }
  }
}

function message(news: unknown): string {
  return `data: ${JSON.stringify(news)}\n\n`;
}
