/*
 * cppcheck.h - jansson's loops, for cppcheck alone, which doesn't read the
 * headers of the system.
 */
#define json_array_foreach(array, index, value) \
	for (index = 0; index < json_array_size(array) && \
	     (value = json_array_get(array, index)); index++)
#define json_object_foreach(object, key, value) \
	for (key = json_object_iter_key(json_object_iter(object)); \
	     key && (value = json_object_get(object, key)); key = next(key))
#define json_object_foreach_safe(object, n, key, value) \
	json_object_foreach(object, key, value)
