/** What a call cost, as the service told it. Its words are not shown: kept as they came. */
export interface Billing {
  status: string | null;
  amount: number | null;
  unit: string | null;
}
