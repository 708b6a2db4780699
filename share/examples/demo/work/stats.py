"""stats.py - what the orders come to, by region and item, as JSON."""
import csv
import json
import statistics
import sys
from collections import Counter, defaultdict
from decimal import Decimal

revenue = Counter()
items = Counter()
months = defaultdict(Decimal)
values = []
with open(sys.argv[1], newline="") as file:
    for row in csv.DictReader(file):
        value = int(row["quantity"]) * Decimal(row["unit_price"])
        values.append(value)
        revenue[row["region"]] += value
        items[row["item"]] += value
        months[row["date"][:7]] += value

json.dump(
    {
        "orders": len(values),
        "revenue": str(sum(values)),
        "median": str(statistics.median(values)),
        "regions": {name: str(value) for name, value in revenue.most_common()},
        "topItems": {name: str(value) for name, value in items.most_common(3)},
        "bestMonth": max(months, key=months.get),
    },
    sys.stdout,
    indent=1,
)
