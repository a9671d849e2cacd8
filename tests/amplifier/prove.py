"""Amplifier's own hook registry against the hook program: `prove.py HOME PROJECT PROGRAM [WORD…]`, one JSON line out.

The module below is what docs/hosts.md tells users of Amplifier to mount: it hands every event to the program and turns
its answer into a HookResult.
"""

import asyncio
import json
import os
import sys

from amplifier_core import HookRegistry, HookResult, __version__

HOME, PROJECT, *PROGRAM = sys.argv[1:]
SUBCOMMANDS = {
    "session:start": "session-start",
    "prompt:submit": "user-prompt-submit",
    "tool:pre": "pre-tool-use",
    "tool:post": "post-tool-use",
    "session:end": "session-stop",
}


async def ask(event, data):
    payload = json.dumps({**data, "hook_event_name": event, "cwd": PROJECT})
    words = [*PROGRAM, SUBCOMMANDS[event], "--host", "amplifier", "--event", event]
    process = await asyncio.create_subprocess_exec(
        *words,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        cwd=PROJECT,
        env={"PATH": os.environ["PATH"], "HOME": HOME},
    )
    stdout, stderr = await process.communicate(payload.encode())
    if process.returncode == 2:
        return HookResult(action="deny", reason=stderr.decode().strip())
    answer = json.loads(stdout) if stdout.strip() else {}
    if answer.get("decision") == "block":
        return HookResult(action="deny", reason=answer.get("reason"))
    if "contextInjection" in answer:
        return HookResult(action="inject_context", context_injection=answer["contextInjection"])
    return HookResult(action="continue")


async def prove():
    hooks = HookRegistry()
    for event in SUBCOMMANDS:
        hooks.register(event, ask, priority=0, name=f"amplihack-{event}")
    ran = []

    async def later(event, data):
        ran.append(data["tool_input"]["command"])
        return HookResult(action="continue")

    hooks.register("tool:pre", later, priority=10, name="later")

    async def emit(event, data):
        result = await hooks.emit(event, {"session_id": "s-1", **data})
        return {"action": result.action, "reason": result.reason, "context": result.context_injection}

    def bash(command):
        return {"tool_name": "bash", "tool_input": {"command": command}}

    return {
        "version": __version__,
        "start": await emit("session:start", {}),
        "allowed": await emit("tool:pre", bash("git status")),
        "denied": await emit("tool:pre", bash("rm -rf /")),
        "asked": await emit("tool:pre", bash("git push --force origin main")),
        "after": await emit("tool:post", {**bash("git status"), "tool_result": {"output": ""}}),
        "end": await emit("session:end", {}),
        "ran": ran,
    }


print(json.dumps(asyncio.run(prove())))
