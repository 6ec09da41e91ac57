/** Where the sink `file` keeps what it was told: newline-delimited JSON by day. */
export const changeFiles = 'changes/';
