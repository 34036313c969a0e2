/* Place of the first element that is not smaller than the query. */
void binary_search_many(int q, int n, const int sorted[n], const int query[q], int place[q])
{
    for (int i = 0; i < q; i++) {
        int lo = 0, hi = n;
        while (lo < hi) {
            int mid = lo + (hi - lo) / 2;
            if (sorted[mid] < query[i])
                lo = mid + 1;
            else
                hi = mid;
        }
        place[i] = lo;
    }
}
