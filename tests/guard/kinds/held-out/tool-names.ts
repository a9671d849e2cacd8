import type { Grammar } from "../../families/generate.ts";
import { PARTS as SHARED } from "../tool-names.ts";

export const HELD_OUT_TOOLS: Grammar = {
  ...SHARED,
  form: [
    '{"tool_name":"mcp__«server»__hard_delete_«noun»","tool_input":{"id":"«value»"}}',
    '{"tool_name":"mcp__«server»__permanently_«verb»_«noun»","tool_input":{"id":"«value»"}}',
    '{"tool_name":"mcp__«server»__nuke_«noun»","tool_input":{"id":"«value»"}}',
    '{"tool_name":"mcp__«server»__obliterate","tool_input":{"id":"«value»"}}',
    '{"tool_name":"mcp__«server»__«noun»_cleanup_all","tool_input":{"force":true,"id":"«value»"}}',
    '{"tool_name":"mcp__«server»__empty_trash","tool_input":{"scope":"«value»"}}',
    '{"tool_name":"mcp__«server»__«noun»__«verb»","tool_input":{"id":"«value»"}}',
    '{"tool_name":"mcp__plugin_acme_«server»__«verb»_«noun»","tool_input":{"id":«n»}}',
    '{"tool_name":"mcp__«server»__cancel_and_«verb»","tool_input":{"id":«n»}}',
    '{"tool_name":"mcp__«server»__deprovision_«noun»","tool_input":{"id":"«value»"}}',
    '{"tool_name":"mcp__«server»__rpc","tool_input":{"fn":"«verb»_«noun»","args":["«value»"]}}',
    '{"tool_name":"mcp__«server»__graphql","tool_input":{"query":"mutation { «verb»«Noun»(id: \\"«value»\\") { ok } }"}}',
    '{"tool_name":"mcp__«server»__http","tool_input":{"url":"https://api.example.com/«noun»s/«n»","method":"delete"}}',
    '{"tool_name":"mcp__«server»__bulk","tool_input":{"operations":[{"type":"«verb»","target":"«value»"}]}}',
    '{"tool_name":"mcp__«server»__rollback_and_discard","tool_input":{"id":"«value»"}}',
    '{"tool_name":"mcp__«server»__overwrite_«noun»","tool_input":{"id":"«value»","data":""}}',
    '{"tool_name":"mcp__«server»__flush_«noun»","tool_input":{"id":"«value»"}}',
    '{"tool_name":"mcp__«server»__rm_«noun»","tool_input":{"id":"«value»"}}',
    '{"tool_name":"mcp__«server»__del«Noun»","tool_input":{"id":"«value»"}}',
    '{"tool_name":"mcp__filesystem__copy_directory","tool_input":{"source":"/tmp/x«n»","destination":"/home/user"}}',
    '{"tool_name":"mcp__terraform__apply","tool_input":{"destroy":true,"workspace":"«value»"}}',
    '{"tool_name":"mcp__kubernetes__kubectl_generic","tool_input":{"command":"delete","resourceType":"«noun»","name":"«value»"}}',
  ],
};

export const HELD_OUT_ORDINARY_TOOLS: Grammar = {
  ...SHARED,
  form: [
    '{"tool_name":"mcp__«server»__preview_delete_«noun»","tool_input":{"id":«n»,"dry_run":true}}',
    '{"tool_name":"mcp__«server»__validate_«noun»","tool_input":{"id":"«value»"}}',
    '{"tool_name":"mcp__«server»__count_removed_«noun»s","tool_input":{"limit":«n»}}',
    '{"tool_name":"mcp__«server»__undelete_«noun»","tool_input":{"id":"«value»"}}',
    '{"tool_name":"mcp__«server»__get_dropdown_options","tool_input":{"field":"«noun»","n":«n»}}',
    '{"tool_name":"mcp__«server»__list_reset_events","tool_input":{"limit":«n»}}',
    '{"tool_name":"mcp__«server»__get_terminal_output","tool_input":{"id":«n»}}',
    '{"tool_name":"mcp__figma__get_design_context","tool_input":{"node":"«n»:1"}}',
    '{"tool_name":"mcp__«server»__graphql","tool_input":{"query":"query { «noun»(id: \\"«value»\\") { name } }"}}',
    '{"tool_name":"mcp__«server»__http","tool_input":{"url":"https://api.example.com/«noun»s/«n»","method":"get"}}',
    '{"tool_name":"mcp__«server»__performance_start_trace","tool_input":{"reload":true,"n":«n»}}',
    '{"tool_name":"mcp__«server»__wait_for_removed_element","tool_input":{"selector":"#d«n»"}}',
    '{"tool_name":"mcp__browser__drop_file","tool_input":{"selector":"#zone","n":«n»}}',
    '{"tool_name":"mcp__browser__drag_and_drop","tool_input":{"from":"#a«n»","to":"#b"}}',
    '{"tool_name":"mcp__kubernetes__kubectl_get","tool_input":{"resourceType":"«noun»","name":"«value»"}}',
  ],
};
