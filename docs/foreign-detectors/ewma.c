/* Two subflows share where their delays move together. Event lines in, verdict lines out. */
#include <stdio.h>
#include <string.h>

int main(void)
{
	char line[128], token[9], kind[8];
	unsigned long long ns, value;
	int sf, order[2] = { -1, -1 }, i, high, said = -1, samples = 0;
	double d[2] = { 0 }, mean[2] = { 0 }, var[2] = { 0 }, both = 0, x[2];

	while (fgets(line, sizeof(line), stdin)) {
		if (sscanf(line, "smartsbd: %llu C=%8s SF=%d V=%7s %llu", &ns, token, &sf, kind, &value) != 5 ||
		    strcmp(kind, "RTT"))
			continue;
		for (i = 0; i < 2 && order[i] != sf && order[i] >= 0; i++)
			;
		if (i == 2)
			continue;	/* a third subflow */
		order[i] = sf;
		d[i] = (double)value;
		if (order[1] < 0)
			continue;
		for (i = 0; i < 2; i++) {
			mean[i] = samples ? mean[i] + (d[i] - mean[i]) / 512 : d[i];
			x[i] = d[i] - mean[i];
			var[i] += (x[i] * x[i] - var[i]) / 512;
		}
		both += (x[0] * x[1] - both) / 512;
		high = both > 0 && both * both > 0.25 * var[0] * var[1];	/* a correlation above a half */
		if (++samples < 1000 || high == said)
			continue;
		i = order[0] > order[1];
		said = high;
		printf("smartsbd: %llu C=%s SF=%d,%d V=SHARED %d\n", ns, token, order[i], order[1 - i],
		       said);
	}
	return 0;
}
