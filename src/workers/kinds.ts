/** Activities on the queue of the investigation service, by resource. A new one is a line here. */
export * from './dossiers/part';
export * from './lens/part';
export * from './monitors/part';
export * from './profiles/part';
export * from './traces/part';
export * from './investigations/part';
