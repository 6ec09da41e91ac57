/** Every kind of job, a folder each. A new one is a line here. */
export * from './certificates/kinds';
export * from './credit/kinds';
export * from './dossiers/kinds';
export * from './lens/kinds';
export * from './monitors/kinds';
export * from './profiles/kinds';
export * from './traces/kinds';
export * from './investigations/kinds';
