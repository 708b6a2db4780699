/* settings.c - prints share/schema/config.json from the table of settings. */
#include "plane/setting.h"

int main(void)
{
	CX_AUTO_JSON json_t *schema = cx_shape_schema(&cx_setting_shape,
	                                              "cx configuration");
	CX_AUTO_BUF struct cx_buf text = { 0 };

	cx_json_pretty(schema, false, &text);
	return puts(text.data) < 0 || fflush(stdout) ? 74 : 0;
}
