"""What memory buys: items that are reshuffled, and an observer who loses where they were.

At every reshuffle what is known of the target's place is lost, and the odds that there is one are
kept. The shorter the period, the less is left of guidance: an observer who looks where the target
may be then gains nothing on one who divides attention equally. The risks are exact; dotted, those
of items that stay.
"""

import matplotlib.pyplot as plt

import popout as po

costs, periods = po.Costs(time=0.2), [0.01, 0.02, 0.04, 0.08, 0.16, 0.32]
figure, ax = plt.subplots(figsize=(5.6, 3.8), layout="constrained")
looks = {"parallel": po.Parallel, "guided": po.Guided, "serial": po.Serial, "optimal": None}
for name, attention in looks.items():
    static = po.LimitedSearchTask(n_locations=2, information=32.0)
    tasks = [po.LimitedSearchTask(2, 32.0, period=period) for period in periods]
    risks = [po.solve(task, costs, attention=attention).risk for task in tasks]
    (line,) = ax.plot(periods, risks, "o-", label=name)
    still = po.solve(static, costs, attention=attention).risk
    ax.axhline(still, color=line.get_color(), linestyle=":", linewidth=1.0)
ax.set(xscale="log", xlabel="seconds between two reshuffles", ylabel="risk", ylim=(0.0, None))
ax.set_title("Two locations, the same information; dotted: items stay")
ax.legend()
plt.show()
