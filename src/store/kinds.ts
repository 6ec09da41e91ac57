/** Job folders of each resource. A new one is a line here. */
export * from './certificates/folders';
export * from './credit/folders';
export * from './dossiers/folders';
export * from './lens/folders';
export * from './monitors/folders';
export * from './profiles/folders';
export * from './traces/folders';
