/** Where the sink `file` stores changes: newline-delimited JSON by day. */
export const changeFiles = 'changes/';
