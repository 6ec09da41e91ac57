/** Cost of a call as reported. Its words are not documented, and stored unchanged. */
export interface Billing {
  status: string | null;
  amount: number | null;
  unit: string | null;
}
