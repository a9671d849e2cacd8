import { describe, expect, it } from "vitest";
import { hostPaths } from "../../src/programs/records/containers.ts";
import { text } from "../../src/shell/value.ts";
import { line, read, spell } from "./reading.ts";

function rm(command: string) {
  const found = read(command).invocations.filter(one => one.program === "rm");
  expect(found).toHaveLength(1);
  const [only] = found;
  if (only === undefined) throw new Error(`no rm in ${command}`);
  return only;
}

describe("other machines", () => {
  it.each([
    ["ssh h rm -rf /x", "ssh h"],
    ["ssh -p 22 -i k -o A=b u@h 'rm -rf /x'", "ssh u@h"],
    ["ssh h -p 22 -- rm -rf /x", "ssh h"],
    ["ssh -t h sudo rm -rf /x", "ssh h"],
    ["ssh h <<< 'rm -rf /x'", "ssh h"],
    ["ssh h bash -c \"'rm -rf /x'\"", "ssh h"],
    ["sshpass -p x ssh h rm -rf /x", "ssh h"],
    ["mosh h -- rm -rf /x", "mosh h"],
    ["kubectl exec pod -- rm -rf /x", "kubectl pod"],
    ["kubectl exec -it pod -c c -n ns -- rm -rf /x", "kubectl pod"],
    ["kubectl -n ns exec pod rm -rf /x", "kubectl pod"],
    ["docker exec c rm -rf /x", "docker c"],
    ["docker exec -it -u root c sh -c 'rm -rf /x'", "docker c"],
    ["docker container exec c rm -rf /x", "docker c"],
    ["docker compose exec -T web rm -rf /x", "docker web"],
    ["docker-compose exec web rm -rf /x", "docker web"],
    ["docker compose -f a.yml run --rm web rm -rf /x", "compose web"],
    ["podman exec c rm -rf /x", "docker c"],
    ["lxc exec c -- rm -rf /x", "lxc c"],
  ])("%s", (command, expected) => {
    const { place, cwd, argv } = rm(command);
    expect(argv.map(spell).join(" ")).toBe("rm -rf /x");
    expect(place.kind === "remote" ? `${place.via} ${spell(place.host)}` : place.kind).toBe(expected);
    expect(spell(cwd)).toBe("{the remote directory}");
  });
});

describe("containers", () => {
  it.each([
    ["docker run alpine rm -rf /x", []],
    ["docker run --rm -it --name n -e A=b -p 1:2 alpine:3 rm -rf /x", []],
    ["docker run -v /a:/b alpine rm -rf /x", ["/a → /b"]],
    ["docker run -v /a:/b:ro -v c:/d alpine rm -rf /x", ["/a → /b ro"]],
    [
      'docker run -v "$PWD":/app -v ~/.ssh:/s alpine rm -rf /x',
      ["/home/me/project → /app", "/home/me/.ssh → /s"],
    ],
    ["docker run -v .:/app alpine rm -rf /x", ["/home/me/project → /app"]],
    ["docker run --volume=/a:/b alpine rm -rf /x", ["/a → /b"]],
    ["docker run --mount type=bind,source=/a,target=/b alpine rm -rf /x", ["/a → /b"]],
    ["docker run --mount type=bind,src=/a,dst=/b,readonly alpine rm -rf /x", ["/a → /b ro"]],
    ["docker run --mount type=volume,source=v,target=/b alpine rm -rf /x", []],
    ["docker run --entrypoint rm alpine -rf /x", []],
    ["docker run -v /:/h alpine sh -c 'rm -rf /x'", ["/ → /h"]],
    ["podman run -v /a:/b alpine rm -rf /x", ["/a → /b"]],
    ["docker container run -v /a:/b alpine rm -rf /x", ["/a → /b"]],
    ["chroot /mnt rm -rf /x", ["/mnt → /"]],
    ["docker run -v /:/h alpine chroot /h rm -rf /x", ["/ → /"]],
    ["docker run -v /a:/h alpine chroot /h/b sh -c 'rm -rf /x'", ["/a/b → /"]],
    ["bwrap --ro-bind /usr /usr --bind /a /b rm -rf /x", ["/usr → /usr ro", "/a → /b"]],
    ["kubectl run p --image=i --rm -it -- rm -rf /x", []],
  ])("%s", (command, expected) => {
    const invocation = rm(command);
    expect(line(invocation)).toBe("rm -rf /x");
    const { place } = invocation;
    const mounts =
      place.kind === "container"
        ? place.mounts.map(
            ({ host, inside, isReadOnly }) => `${spell(host)} → ${spell(inside)}${isReadOnly ? " ro" : ""}`,
          )
        : undefined;
    expect(mounts).toEqual(expected);
  });

  it("start in their working directory", () => {
    expect(spell(rm("docker run -w /app -v .:/app alpine rm x").cwd)).toBe("/app");
    expect(spell(rm("docker run alpine rm x").cwd)).toBe("{the container's directory}");
  });

  it("keep their home apart", () => {
    expect(line(rm("docker run -v /a:/b alpine sh -c 'rm -rf ~'"))).toBe("rm -rf /root");
  });

  it("reach files of this machine through mounts alone", () => {
    const { place } = rm("docker run -v /home/me:/h -v /data:/h/data alpine rm x");
    const paths = (path: string) => hostPaths(place, text(path)).map(spell);
    expect(paths("/h/x")).toEqual(["/home/me/x"]);
    expect(paths("/h")).toEqual(["/home/me", "/data"]);
    expect(paths("/h/data/y")).toEqual(["/data/y"]);
    expect(paths("/etc")).toEqual([]);
    expect(paths("/")).toEqual(["/home/me", "/data"]);
    expect(paths("/hx")).toEqual([]);
    expect(hostPaths({ kind: "local" }, text("/etc")).map(spell)).toEqual(["/etc"]);
  });
});
