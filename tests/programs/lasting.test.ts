import { describe, expect, it } from "vitest";
import { analyseCommand, goesOn } from "../../src/programs/index.ts";

const lasts = (command: string) =>
  analyseCommand(command, { cwd: "/p", home: "/h" }).invocations.some(goesOn);

describe("what does not end by itself", () => {
  it.each([
    "vite",
    "npx vite --port 3000",
    "npm run dev",
    "npm start",
    "pnpm dev:web",
    "cd web && yarn serve",
    "python3 -m http.server 8000",
    "python manage.py runserver",
    "flask run",
    "tail -nf5 app.log",
    "tail -F app.log",
    "tsc --watch",
    "jest --watchAll",
    "sleep infinity",
    "node server.js &",
    "sh -c 'nodemon app.js'",
    "vim a.txt",
    "env FOO=1 nginx",
  ])("%s", command => {
    expect(lasts(command)).toBe(true);
  });

  it.each([
    "vite build",
    "npm run build",
    "npm test",
    "echo vite",
    "grep -r nodemon src",
    "tail -n 5 app.log",
    "tail -5 app.log",
    "tsc --noEmit",
    "jest -t watch",
    "nginx -t",
    "sleep 1",
    "make a && make b",
    "cat less.txt",
    "next build",
  ])("ends: %s", command => {
    expect(lasts(command)).toBe(false);
  });
});
