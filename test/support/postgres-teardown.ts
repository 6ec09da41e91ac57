// oxlint-disable-next-line import/no-default-export -- jest calls the default export
export { stopPostgres as default } from './postgres-setup';
